"""Series: acceptance length and depth, in steps of two seconds, over the last five minutes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from app.statistics.rounds import RoundFigures

SPAN_SECONDS = 300
STEP_SECONDS = 2


@dataclass(slots=True)
class _Step:
    place: int
    num_rounds: int = 0
    num_proposing: int = 0
    num_accepted: int = 0
    sum_of_depths: int = 0
    num_depths: int = 0


@dataclass(frozen=True, slots=True)
class Point:
    """Means over the rounds of one step; `acceptance_length` is None where none of them proposed."""

    seconds_ago: float
    acceptance_length: float | None
    depth: float
    num_rounds: int


class Series:
    def __init__(self) -> None:
        self._steps: deque[_Step] = deque(maxlen=SPAN_SECONDS // STEP_SECONDS + 1)

    def add(self, at: float, one: RoundFigures) -> None:
        place = int(at // STEP_SECONDS)
        if not self._steps or self._steps[-1].place != place:
            self._steps.append(_Step(place))
        step = self._steps[-1]
        step.num_rounds += one.num_rounds
        step.num_proposing += one.num_proposing
        step.num_accepted += one.num_accepted
        step.sum_of_depths += one.depth
        step.num_depths += 1

    def points(self, now: float) -> tuple[Point, ...]:
        """The oldest first; what is older than the span is left out."""
        return tuple(
            Point(
                seconds_ago=max(0.0, now - (step.place + 1) * STEP_SECONDS),
                acceptance_length=step.num_accepted / step.num_proposing + 1 if step.num_proposing else None,
                depth=step.sum_of_depths / step.num_depths,
                num_rounds=step.num_rounds,
            )
            for step in self._steps
            if now - step.place * STEP_SECONDS <= SPAN_SECONDS
        )
