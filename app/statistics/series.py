"""Series: acceptance length and depth second by second, over the last five minutes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from app.statistics.rounds import RoundFigures

SPAN_SECONDS = 300


@dataclass(slots=True)
class _Second:
    place: int
    num_rounds: int = 0
    num_proposing: int = 0
    num_accepted: int = 0
    sum_of_depths: int = 0
    num_depths: int = 0


@dataclass(frozen=True, slots=True)
class Point:
    """Means over the rounds of one second; `acceptance_length` is None where none of them proposed."""

    seconds_ago: float
    acceptance_length: float | None
    depth: float
    num_rounds: int


class Series:
    def __init__(self) -> None:
        self._seconds: deque[_Second] = deque(maxlen=SPAN_SECONDS + 1)

    def add(self, at: float, one: RoundFigures) -> None:
        place = int(at)
        if not self._seconds or self._seconds[-1].place != place:
            self._seconds.append(_Second(place))
        second = self._seconds[-1]
        second.num_rounds += one.num_rounds
        second.num_proposing += one.num_proposing
        second.num_accepted += one.num_accepted
        second.sum_of_depths += one.depth
        second.num_depths += 1

    def points(self, now: float) -> tuple[Point, ...]:
        """The oldest first; what is older than the span is left out."""
        return tuple(
            Point(
                seconds_ago=max(0.0, now - second.place - 1),
                acceptance_length=second.num_accepted / second.num_proposing + 1 if second.num_proposing else None,
                depth=second.sum_of_depths / second.num_depths,
                num_rounds=second.num_rounds,
            )
            for second in self._seconds
            if now - second.place <= SPAN_SECONDS
        )
