"""Where a reply parts from its reference, and whether rounding explains it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import mlx.core as mx

from engine.drafters.base import to_lists
from engine.prove.cases import Case
from engine.prove.driver import Driver, Reply
from engine.prove.measure import Measured, Shape, measure
from engine.prove.tolerance import steps_of, tolerance
from engine.text.tokenizer import Tokenizer

END = "the end of the reply"


@dataclass(frozen=True, slots=True)
class Parting:
    """The first token that differs; scores are logits over the temperature, with noise where it was drawn."""

    position: int
    expected: str
    found: str
    gap: float  # between the scores of the two tokens, as the target alone has them after the reference text
    tolerance: float
    movement: float  # measured: most that the shapes below move a score up to this position
    shapes: tuple[Shape, ...]
    dtype: str

    @property
    def is_near_tie(self) -> bool:
        return self.gap <= self.tolerance


def first_difference(expected: Sequence[int], found: Sequence[int]) -> int | None:
    """The first index at which two replies differ; the shorter one's length where it begins the other."""
    if list(expected) == list(found):
        return None
    pairs = enumerate(zip(expected, found, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(expected), len(found)))


def examine(driver: Driver, case: Case, reference: Reply, reply: Reply) -> Parting | None:
    """Compare a reply with the reference of its case; None where they are equal."""
    position = first_difference(reference.token_ids, reply.token_ids)
    if position is None:
        return None
    prompt = driver.prompt_of(reference)
    shapes = reply.shapes_at(position)
    before = reference.token_ids[:position]
    measured = measure(driver.target.model, prompt.token_ids, before, case.sampling, shapes)
    pair = [_token_at(made.token_ids, position, prompt.tokenizer.end_ids, measured) for made in (reference, reply)]
    expected, found = pair
    step, sum_step = steps_of(measured.dtype, mx.default_device())
    return Parting(
        position=position,
        expected=_text_of(expected, prompt.tokenizer),
        found=_text_of(found, prompt.tokenizer),
        gap=abs(_score(measured, expected) - _score(measured, found)),
        tolerance=tolerance(measured.movement, measured.largest, measured.spread, step, sum_step),
        movement=measured.movement,
        shapes=tuple(sorted(shapes)),
        dtype=str(measured.dtype).removeprefix("mlx.core."),
    )


def _token_at(token_ids: Sequence[int], position: int, end_ids: Collection[int], measured: Measured) -> int:
    """A reply's token, or the likeliest of those that end one where it has ended."""
    if position < len(token_ids):
        return token_ids[position]
    return max(end_ids, key=lambda token_id: _score(measured, token_id))


def _score(measured: Measured, token_id: int) -> float:
    return float(to_lists(measured.scores[token_id]))


def _text_of(token_id: int, tokenizer: Tokenizer) -> str:
    return END if token_id in tokenizer.end_ids else repr(tokenizer.decode([token_id]))
