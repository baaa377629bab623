"""Who is measured on what, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from engine.bench.tasks import Task
from engine.bench.timing import Run

T = TypeVar("T")

OURS = "slipstream"
THEIRS = "mlx-lm"


@dataclass(frozen=True, slots=True)
class Contender:
    """One way of answering a batch of prompts."""

    side: str  # OURS or THEIRS
    name: str  # the drafter, or mlx-lm's function and its drafter
    answer: Callable[[Sequence[Task]], Run]
    drafter: str = "none"

    @property
    def label(self) -> str:
        return f"{self.side} {self.name}"


@dataclass(frozen=True, slots=True)
class Contest:
    """Batches of one size and everybody who answers them; all are compared with the first contender."""

    batch_size: int
    batches: Sequence[Sequence[Task]]
    contenders: Sequence[Contender]


@dataclass(frozen=True, slots=True)
class Entry:
    """One run: by whom, on which batch of prompts, when."""

    batch_size: int
    repeat: int
    batch: int
    label: str
    run: Run


def rotate(items: Sequence[T], by: int) -> list[T]:
    """The same items in turn, beginning `by` places further on."""
    shift = by % len(items)
    return [*items[shift:], *items[:shift]]


def warm_up(contests: Sequence[Contest]) -> None:
    """Let everybody answer the first batch of each size, untimed: buffers are made and costs measured there."""
    for contest in contests:
        for contender in contest.contenders:
            contender.answer(contest.batches[0])


def measure(contests: Sequence[Contest], repeats: int, tell: Callable[[str], None]) -> Iterator[Entry]:
    """Run everything, yielding each run as it ends.

    All contenders answer a batch one after the other, since runs that are near in time see the same machine; who
    begins changes with every batch and repeat. Repeats are outermost, so that one that is stopped has seen all sizes.
    """
    for repeat in range(repeats):
        tell(f"repeat {repeat + 1} of {repeats}")
        for contest in contests:
            for index, batch in enumerate(contest.batches):
                for contender in rotate(contest.contenders, repeat + index):
                    run = contender.answer(batch)
                    yield Entry(contest.batch_size, repeat, index, contender.label, run)
