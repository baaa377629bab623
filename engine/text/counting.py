"""Counts of prompts: what one comes to, and how many of its oldest turns have to go where that is too much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.messages import Answer, Failed, TokenCount, Turn

LEAST_REPLY = 256  # tokens that a shortened prompt leaves for the reply, or a quarter of a short context


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


def num_left_out(turns: Sequence[Turn], context_length: int, count: Callable[[Sequence[Turn]], int]) -> int:
    """The fewest oldest turns without which the prompt fits with room for a reply; 0 where no number is enough.

    System turns at the beginning stay, and so does the user's last one; what is left begins with one of the user's.
    `count` gives the tokens of a prompt, and no more for fewer turns.
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
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(places[middle]) else (middle + 1, high)
    return places[low] - first
