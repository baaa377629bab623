"""From a block's hidden states to its tokens, left to right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mlx.core as mx

from engine.drafters.block.model import BlockModel

Head = Callable[[mx.array], mx.array]  # hidden [rows, width, hidden size] to logits
Choose = Callable[[mx.array, int], mx.array]  # logits [rows, output size] of the i-th token: the target's ids, [rows]


@dataclass(frozen=True, slots=True)
class Predicted:
    """ids [rows, tokens] int32; confidence [rows, tokens]: logits of each being accepted, where a head tells."""

    ids: mx.array
    confidence: mx.array | None


def predict(
    model: BlockModel, hidden: mx.array, pending: mx.array, head: Head, choose: Choose, num_tokens: int
) -> Predicted:
    """The first `num_tokens` tokens after the pending ones: hidden [rows, block, hidden size], pending [rows]; lazy.

    Each token is chosen with the one before it known, as Markov heads need it.
    """
    first = model.spec.first_prediction
    logits = head(hidden[:, first : first + num_tokens])
    if not model.spec.heads.markov:
        ids = [choose(logits[:, index], index) for index in range(num_tokens)]
        return Predicted(mx.stack(ids, axis=1), _confidence(model, hidden[:, first : first + num_tokens], None))
    return _predict_in_turn(model, hidden, pending, logits, choose)


def _predict_in_turn(
    model: BlockModel, hidden: mx.array, pending: mx.array, logits: mx.array, choose: Choose
) -> Predicted:
    """With a Markov head; a head that remembers reads the positions before the first prediction too."""
    markov, first = model.markov_head, model.spec.first_prediction
    state = markov.start(len(pending), hidden.dtype)
    previous, ids, read = pending, [], []
    for position in range(first + logits.shape[1]):
        embedded = markov.markov_w1(previous)
        bias, state = markov(embedded, hidden[:, position], state)
        if position >= first:
            index = position - first
            previous = choose(logits[:, index] + bias, index)
            ids.append(previous)
            read.append(embedded)
    last = first + len(ids)
    return Predicted(mx.stack(ids, axis=1), _confidence(model, hidden[:, first:last], mx.stack(read, axis=1)))


def _confidence(model: BlockModel, hidden: mx.array, previous: mx.array | None) -> mx.array | None:
    return model.confidence_head(hidden, previous) if model.spec.heads.has_confidence else None
