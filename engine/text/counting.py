"""Counts of prompts: what one comes to, and how many of its oldest turns have to go where that is too much."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from engine.messages import Answer, Failed, TokenCount, Turn

LEAST_REPLY = 256  # tokens that a shortened prompt leaves for the reply, or a quarter of a short context
NEAR = 2  # turns of the user around a guess by the texts' lengths


@dataclass(frozen=True, slots=True)
class Counted:
    """A count on its way to the engine, which alone knows what of the prompt is cached."""

    request_id: int
    target: str
    token_ids: tuple[int, ...]
    count: TokenCount


def hand_on(
    put: Callable[[Counted], None], emit: Callable[[Answer | Failed], None], answer: Answer | Counted | Failed
) -> None:
    """Put a count where the engine takes it, and tell what is an answer already."""
    if isinstance(answer, Counted):
        put(answer)
    else:
        emit(answer)


def num_left_out(
    turns: Sequence[Turn], context_length: int, num_tokens: int, count: Callable[[Sequence[Turn]], int]
) -> int:
    """The fewest oldest turns without which the prompt fits with room for a reply; 0 where no number is enough.

    System turns at the beginning stay, and so does the user's last one; what is left begins with one of the user's.
    `num_tokens` are those of the whole prompt; `count` gives those of another, and no more for fewer turns.
    """
    first = next((index for index, turn in enumerate(turns) if turn.role != "system"), len(turns))
    last = max((index for index, turn in enumerate(turns) if turn.role == "user"), default=0)
    places = [index for index in range(first + 1, last + 1) if turns[index].role == "user"]
    most = context_length - min(LEAST_REPLY, context_length // 4)

    def fits(place: int) -> bool:
        return count([*turns[:first], *turns[place:]]) <= most

    if not places or not fits(places[-1]):
        return 0
    low, high = 0, len(places) - 1
    guess = bisect_left(places, _likely_place(turns, most / num_tokens))
    for middle in (guess + NEAR, guess - NEAR, *[None] * len(places)):  # most searches end near the guess
        if low == high:
            break
        middle = (low + high) // 2 if middle is None else min(max(middle, low), high - 1)
        low, high = (low, middle) if fits(places[middle]) else (middle + 1, high)
    return places[low] - first


def _likely_place(turns: Sequence[Turn], share: float) -> int:
    """The turn from which on the texts are this share of all."""
    lengths = list(accumulate(len(turn.text) for turn in turns))
    return bisect_left(lengths, lengths[-1] * (1 - share))
