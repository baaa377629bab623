"""Contests of scripted runs, for arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from engine.bench.measure import Contender, Contest
from engine.bench.tasks import Task
from engine.bench.timing import Delivery, Run
from engine.messages import Statistics


def run_of(seconds: float, *replies: tuple[int, ...], statistics: tuple[Statistics, ...] = ()) -> Run:
    """A run whose rows get one token at once and the rest at the end."""
    deliveries = [Delivery(row, 1, 0.0) for row in range(len(replies))]
    deliveries += [Delivery(row, len(ids) - 1, seconds) for row, ids in enumerate(replies) if len(ids) > 1]
    return Run(replies, tuple(deliveries), seconds, statistics)


def contender(side: str, name: str, runs: Sequence[Run] = (), drafter: str = "none") -> Contender:
    """One that plays its runs in turn."""
    script = iter(runs)
    return Contender(side, name, lambda tasks: next(script), drafter)


def contest(*contenders: Contender, num_batches: int = 1) -> Contest:
    batches = [(Task(str(index), (), ()),) for index in range(num_batches)]
    return Contest(1, batches, contenders)
