"""Bias, penalties and grammar masks: what changes logits before a token is chosen.

The penalties give what mlx-lm's make_*_penalty give. Those take one history for all rows; in a window every position
has its own, which ends with the proposal tokens before it: they stand wherever that position's token is emitted.
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx
import numpy as np

from engine.messages import Sampling
from engine.sampling.choice import Choice


def has_penalties(rules: Sampling) -> bool:
    """Whether a choice depends on the tokens before it."""
    return rules.repetition_penalty != 1 or rules.presence_penalty != 0 or rules.frequency_penalty != 0


def process(logits: mx.array, windows: mx.array, choices: Sequence[Choice]) -> mx.array:
    """Apply the rules that all these rows share: logits [rows, width, vocabulary], unchanged where there are none.

    windows [rows, width]: each row's pending token and its proposal.
    """
    rules = choices[0].rules
    if rules.logit_bias:
        ids, biases = zip(*rules.logit_bias, strict=True)
        logits = logits.astype(mx.float32).at[..., mx.array(ids)].add(mx.array(biases, dtype=mx.float32))
    if has_penalties(rules):
        num_vocabulary = logits.shape[-1]
        counts = count_recent(windows, [choice.history for choice in choices], rules.penalty_window, num_vocabulary)
        logits = penalise(logits.astype(mx.float32), counts, rules)
    if rules.grammar is not None:
        allowed = unpack_masks([choice.masks for choice in choices], windows.shape[1], logits.shape[-1])
        logits = mx.where(allowed, logits.astype(mx.float32), -mx.inf)
    return logits


def count_recent(windows: mx.array, histories: Sequence[Sequence[int]], limit: int, vocabulary: int) -> mx.array:
    """How often each token stands among the `limit` latest ones before each choice: [rows, width, vocabulary].

    Those before the choice at window position j are the row's history and its window up to j.
    """
    rows, width = windows.shape
    limit = min(limit, max(map(len, histories)) + width)
    nothing = vocabulary  # fills short histories; its counts are cut off
    recent = [list(history[max(0, len(history) - limit) :]) for history in histories]
    padded = mx.array([[*[nothing] * (limit - len(ids)), *ids] for ids in recent], dtype=mx.int32)
    tokens = mx.concatenate([padded, windows], axis=1)
    spans = mx.arange(1, width + 1)[:, None] + mx.arange(limit)  # a span of `limit` tokens that ends at each position
    seen = tokens[:, spans]
    counts = mx.zeros((rows, width, vocabulary + 1))
    counts = counts.at[mx.arange(rows)[:, None, None], mx.arange(width)[:, None], seen].add(1)
    return counts[..., :vocabulary]


def penalise(logits: mx.array, counts: mx.array, rules: Sampling) -> mx.array:
    """Make tokens that were seen less likely, in mlx-lm's order: repetition, presence, frequency."""
    repeated = mx.where(logits < 0, logits * rules.repetition_penalty, logits / rules.repetition_penalty)
    logits = mx.where(counts > 0, repeated - rules.presence_penalty, logits)
    return logits - rules.frequency_penalty * counts


def unpack_masks(masks: Sequence[Sequence[bytes]], width: int, vocabulary: int) -> mx.array:
    """Bits to booleans [rows, width, vocabulary]; a short window repeats its last mask where nothing is emitted.

    Ids beyond a mask, which the model's output has where it is padded, are not allowed.
    """
    padded = [mask for row in masks for mask in (*row, *[row[-1]] * (width - len(row)))]
    words = mx.array(np.frombuffer(b"".join(padded), dtype="<u4").reshape(len(masks), width, -1))
    bits = (words[..., None] >> mx.arange(32, dtype=mx.uint32)) & 1
    allowed = bits.reshape(len(masks), width, -1)[..., :vocabulary].astype(mx.bool_)
    return mx.pad(allowed, [(0, 0), (0, 0), (0, vocabulary - allowed.shape[-1])])
