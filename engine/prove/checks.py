"""The equalities, one function and one line each; every one compares replies with those made alone and undrafted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.messages import Finished
from engine.prove.cases import Case
from engine.prove.driver import Driver, Reply
from engine.prove.scripted import STRESS
from engine.target import MAX_ROWS


@dataclass(frozen=True, slots=True)
class Made:
    """A reply to compare with its reference; `is_proof` is whether what the check is about took place."""

    case: Case
    reply: Reply
    is_proof: bool


@dataclass(frozen=True, slots=True)
class Check:
    """One equality; `lacking` is the sentence for a run in which nothing was a proof."""

    name: str
    make: Callable[[Driver, Sequence[Case], str], Iterator[Made]]
    lacking: str
    is_for_none: bool = True  # whether it says something of the drafter that proposes nothing


def drafted(driver: Driver, cases: Sequence[Case], drafter: str) -> Iterator[Made]:
    """One reply after the other."""
    for case in cases:
        reply = _start(driver, case, drafter)
        driver.run()
        yield Made(case, reply, reply.statistics.num_proposed > 0)


def batched(driver: Driver, cases: Sequence[Case], drafter: str) -> Iterator[Made]:
    """As many rows as fit, each of which joins a step or two after the one before."""
    for first in range(0, len(cases), MAX_ROWS):
        started = []
        for case in cases[first : first + MAX_ROWS]:
            started.append((case, _start(driver, case, drafter)))
            driver.step(1 + case.index % 2)
        driver.run()
        for case, reply in started:
            yield Made(case, reply, reply.most_rows > 1)


def beside_cancelled(driver: Driver, cases: Sequence[Case], drafter: str) -> Iterator[Made]:
    """Rows that each follow a neighbour which leaves by Cancel, one after the other."""
    for first in range(0, len(cases), MAX_ROWS // 2):
        started, neighbours = [], []
        for case in cases[first : first + MAX_ROWS // 2]:
            neighbours.append(_start(driver, cases[(case.index + 1) % len(cases)], drafter))
            started.append((case, _start(driver, case, drafter)))
            driver.step(1 + case.index % 2)
        while driver.step():
            for index, neighbour in enumerate(neighbours):
                if neighbour.end is None and len(neighbour.token_ids) > index:
                    driver.cancel(neighbour)
        was_cancelled = any(isinstance(n.end, Finished) and n.end.reason == "cancelled" for n in neighbours)
        for case, reply in started:
            yield Made(case, reply, was_cancelled and reply.most_rows > 1)


def restored(driver: Driver, cases: Sequence[Case], drafter: str) -> Iterator[Made]:
    """Half of each reply; the rest from what another engine, which has read nothing, finds on the disk."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        with driver.restarted(folder):
            halves = [_start(driver, case, drafter, max_tokens=max(1, case.sampling.max_tokens // 2)) for case in cases]
            driver.run()
        with driver.restarted(folder):
            for case, half in zip(cases, halves, strict=True):
                left = case.sampling.max_tokens - len(half.token_ids)
                if not (isinstance(half.end, Finished) and half.end.reason == "length" and left > 0):
                    yield Made(case, half, is_proof=False)
                    continue
                rest = _start(driver, case, drafter, max_tokens=left, begun=half)
                driver.run()
                yield Made(case, half.joined(rest), rest.statistics.num_cached > 0)


CHECKS = (
    Check("drafted = undrafted", drafted, "nothing was proposed", is_for_none=False),
    Check("batched = alone", batched, "no two rows shared a forward"),
    Check("restored = recomputed", restored, "nothing was restored"),
    Check("cancelled neighbour = none", beside_cancelled, "no row ran beside one that was cancelled"),
)


def _start(
    driver: Driver, case: Case, drafter: str, max_tokens: int | None = None, begun: Reply | None = None
) -> Reply:
    name = f"{STRESS}:{case.index}" if drafter == STRESS else drafter
    sampling = case.sampling if max_tokens is None else replace(case.sampling, max_tokens=max_tokens)
    return driver.start(case.prompt, sampling, name, begun)
