"""The target's choice at every window position, and a drafter's choice that is coupled to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import mlx.core as mx

from engine.messages import Sampling
from engine.sampling.choice import Choice, Chosen, RowScores
from engine.sampling.filters import keep_likely
from engine.sampling.noise import noise
from engine.sampling.processors import process


def choose(logits: mx.array, windows: mx.array, choices: Sequence[Choice]) -> Chosen:
    """Choose a token at every window position: logits [rows, width, vocabulary], windows [rows, width]; lazy.

    windows: each row's pending token and its proposal, which the rules of the positions after them see.
    Position j of a row draws with the noise of `position + j`, so a draw is the same with any drafter, width or batch.
    Rows with the same rules are one operation: an argmax for greedy ones without further rules.
    """
    cohorts = _by_rules([choice.rules for choice in choices])
    if len(cohorts) == 1:
        return _choose_alike(logits, windows, choices)
    parts: list[mx.array] = []
    scores: list[RowScores | None] = [None] * len(choices)
    for rows in cohorts:
        index = mx.array(rows)
        chosen = _choose_alike(logits[index], windows[index], [choices[row] for row in rows])
        parts.append(chosen.ids)
        for row, row_scores in zip(rows, chosen.scores, strict=True):
            scores[row] = row_scores
    order = sorted(range(len(choices)), key=[row for rows in cohorts for row in rows].__getitem__)
    return Chosen(mx.concatenate(parts)[mx.array(order)], tuple(scores))


def draw(logits: mx.array, choices: Sequence[Choice], index: int) -> mx.array:
    """A drafter's choice for window position `index` of each row: logits [rows, vocabulary] to [rows] int32, lazy.

    It has the noise, filters and temperature of the target's choice there, so that likely tokens agree; bias, penalties
    and grammar are the target's alone.
    """
    ids = [
        _draw(row[None, None], [replace(choice, position=choice.position + index)])[0]
        for row, choice in zip(logits, choices, strict=True)
    ]
    return mx.concatenate(ids)


def _by_rules(rules: Sequence[Sampling]) -> list[list[int]]:
    """Indices of the rows whose tokens are chosen in the same way."""
    cohorts: dict[Sampling, list[int]] = {}
    for row, own in enumerate(rules):
        cohorts.setdefault(replace(own, seed=0, max_tokens=1, stops=()), []).append(row)
    return list(cohorts.values())


def _choose_alike(logits: mx.array, windows: mx.array, choices: Sequence[Choice]) -> Chosen:
    processed = process(logits, windows, choices)
    ids = _draw(processed, choices)
    num_logprobs = choices[0].rules.num_logprobs
    if not num_logprobs:
        return Chosen(ids, (None,) * len(choices))
    return Chosen(ids, tuple(_score(row, row_ids, num_logprobs) for row, row_ids in zip(processed, ids, strict=True)))


def weigh(logits: mx.array, choices: Sequence[Choice]) -> mx.array:
    """What the chosen token has the most of: [rows, width, vocabulary], filtered, cooled and with noise unless greedy.

    Greedy takes the logits themselves on every path: normalising them first could round two to one value.
    """
    rules = choices[0].rules
    if rules.temperature == 0:
        return logits
    _, width, vocabulary = logits.shape
    places = [(choice.rules.seed, choice.position + index) for choice in choices for index in range(width)]
    return keep_likely(logits, rules) / rules.temperature + noise(places, vocabulary).reshape(logits.shape)


def _draw(logits: mx.array, choices: Sequence[Choice]) -> mx.array:
    """Draw by Gumbel-max: [rows, width, vocabulary] to [rows, width] int32."""
    return mx.argmax(weigh(logits, choices), axis=-1).astype(mx.int32)


def _score(logits: mx.array, ids: mx.array, num_logprobs: int) -> RowScores:
    """Log probabilities of one row: logits [width, vocabulary], ids [width]."""
    logprobs = logits.astype(mx.float32)
    logprobs = logprobs - mx.logsumexp(logprobs, axis=-1, keepdims=True)
    num_top = min(num_logprobs, logits.shape[-1])
    top_ids = mx.argpartition(-logprobs, kth=num_top - 1, axis=-1)[:, :num_top]
    order = mx.argsort(-mx.take_along_axis(logprobs, top_ids, axis=-1), axis=-1)
    top_ids = mx.take_along_axis(top_ids, order, axis=-1)
    chosen = mx.take_along_axis(logprobs, ids[:, None], axis=-1)[:, 0]
    return RowScores(chosen, top_ids, mx.take_along_axis(logprobs, top_ids, axis=-1))
