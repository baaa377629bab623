"""What a target's forwards take on this machine, measured while it is used: by KV scheme, rows, width and context."""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median_low
from typing import Any, NamedTuple

from engine.messages import UNQUANTISED, KvScheme

SAMPLES = 7  # latest ones that a median is of: one slow forward changes nothing
SHORT_CONTEXT = 512  # tokens below which a row's length hardly counts
WIDER = 0.04  # what a further token is taken to add, in plain forwards, until it was tried: low, so that it is


class Place(NamedTuple):
    """What costs are measured at; `context` counts doublings of the longest row past SHORT_CONTEXT."""

    rows: int
    context: int
    kv: str = ""  # "bits/group size/start" of a quantised KV cache: its forwards say nothing of another scheme's


def place(num_rows: int, num_tokens: int, kv: KvScheme = UNQUANTISED) -> Place:
    context = max(0, (num_tokens - 1).bit_length() - SHORT_CONTEXT.bit_length() + 1)
    return Place(num_rows, context, f"{kv.bits}/{kv.group_size}/{kv.start}" if kv.bits else "")


@dataclass(slots=True)
class Cost:
    """The latest seconds of one kind of forward; the very first is dropped, since kernels are compiled in it."""

    is_warm: bool = False
    samples: deque[float] = field(default_factory=lambda: deque(maxlen=SAMPLES))
    seconds: float = 0.0  # median of the samples, of two the faster: pauses make slow only; 0.0 where there is none

    def count(self, seconds: float) -> None:
        if self.is_warm:
            self.samples.append(seconds)
            self.seconds = median_low(self.samples)
        self.is_warm = True


def stored_cost(seconds: float) -> Cost:
    """A cost of an earlier start; kernels have to be compiled again."""
    if not 0 < float(seconds) < math.inf:
        raise ValueError(f"a forward of {seconds!r} seconds")
    return Cost(samples=deque([float(seconds)], maxlen=SAMPLES), seconds=float(seconds))


@dataclass(frozen=True, slots=True)
class LocalCosts:
    """What is known of forwards at one place; seconds are 0.0 where nothing is."""

    plain: float  # measured there, at its best
    base: float  # over one position, from the nearest measurement where there is none
    measured: Mapping[int, float]  # by width
    ratios: Mapping[int, float]  # of wider forwards to one over a single position, where they were tried

    def verify(self, width: int) -> float:
        """Seconds of a forward over `width` positions a row, measured or estimated."""
        return self.measured.get(width) or self.base * ratio_at(self.ratios, width)

    @property
    def is_tried(self) -> bool:
        """Whether a forward over more than one position was measured here."""
        return max(self.measured, default=1) > 1


def stored_place(rows: Any, context: Any, kv: Any = "") -> Place:
    return Place(int(rows), int(context), str(kv))


class CostTable:
    """Measured seconds; what was not measured is estimated from what is nearest to it."""

    def __init__(self) -> None:
        self.is_changed = False
        self._local: dict[Place, LocalCosts] = {}  # worked out since the last measurement
        self._plain: dict[Place, Cost] = {}
        self._verify: dict[Place, dict[int, Cost]] = {}
        self._draft: dict[tuple[str, int, int], Cost] = {}  # by drafter, rows and forwards of the drafter

    def count_plain(self, where: Place, seconds: float) -> None:
        """Add the seconds of a plain forward, of many in flight one behind the other: no first one is dropped."""
        self._plain.setdefault(where, Cost(is_warm=True)).count(seconds)
        self._change()

    def count_verify(self, where: Place, width: int, seconds: float) -> None:
        """Add the seconds of a round that waits for its forward over `width` positions; drafting is left out."""
        self._verify.setdefault(where, {}).setdefault(width, Cost()).count(seconds)
        self._change()

    def count_draft(self, drafter: str, num_rows: int, depth: int, seconds: float) -> None:
        self._draft.setdefault((drafter, num_rows, depth), Cost()).count(seconds)

    def store(self) -> dict[str, Any]:
        """What is known of target forwards, as plain values for JSON."""
        return {
            "plain": [[*where, cost.seconds] for where, cost in sorted(self._plain.items()) if cost.samples],
            "verify": [
                [*where, width, seconds]
                for where in sorted(self._verify)
                for width, seconds in sorted(self._curve(where).items())
            ],
        }

    @classmethod
    def restore(cls, stored: Mapping[str, Any]) -> CostTable:
        """A table with what was stored; raises ValueError, TypeError, KeyError or OverflowError where it is none.

        Entries without a KV scheme are of a time that told none apart.
        """
        costs = cls()
        for rows, context, *kv, seconds in stored["plain"]:
            costs._plain[stored_place(rows, context, *kv)] = stored_cost(seconds)
        for rows, context, *kv, width, seconds in stored["verify"]:
            costs._verify.setdefault(stored_place(rows, context, *kv), {})[int(width)] = stored_cost(seconds)
        return costs

    def at(self, where: Place) -> LocalCosts:
        """All that is known of a place, looked up once between two measurements."""
        if where not in self._local:
            self._local[where] = LocalCosts(
                self._plain_seconds(where), self._base_seconds(where), self._curve(where), self._ratios(where)
            )
        return self._local[where]

    def plain_seconds(self, where: Place) -> float:
        return self.at(where).plain

    def base_seconds(self, where: Place) -> float:
        return self.at(where).base

    def verify_seconds(self, where: Place, width: int) -> float:
        return self.at(where).verify(width)

    def _change(self) -> None:
        self.is_changed = True
        self._local.clear()

    def _plain_seconds(self, where: Place) -> float:
        """Seconds of a plain forward at its best with so many rows; 0.0 where it was measured at no such context.

        A shorter context stands in for one that was not measured, and never a longer one: that would flatter. So would
        a moment in which the machine was busy, which rounds of any width that were waited for since then give away.
        """
        contexts = [place.context for place in self._plain if (place.rows, place.kv) == (where.rows, where.kv)]
        known = [context for context in contexts if context <= where.context]
        if not known:
            return 0.0
        measured = where._replace(context=max(known))
        return min([self._plain[measured].seconds, *self._curve(measured).values()])

    def _base_seconds(self, where: Place) -> float:
        """Seconds of a forward over one position, from the nearest measurement where there is none; 0.0 unknown.

        One that was waited for stands in where plain decoding was not measured with so many rows.
        """
        if seconds := self._plain_seconds(where):
            return seconds
        waited = {other: curve[1] for other in self._verify if 1 in (curve := self._curve(other))}
        plain = {other: cost.seconds for other, cost in self._plain.items() if cost.samples}
        known = {other: seconds for other, seconds in {**waited, **plain}.items() if other.kv == where.kv}
        return known[_nearest_place(known, where)] if known else 0.0

    def draft_seconds(self, drafter: str, num_rows: int, depth: int) -> float:
        """Seconds that `depth` forwards of a drafter take; in proportion where only another number was measured."""
        known = {
            at: cost.seconds for (name, rows, at), cost in self._draft.items() if (name, rows) == (drafter, num_rows)
        }
        known = {at: seconds for at, seconds in known.items() if seconds}
        if not known:
            return 0.0
        at = nearest(known, depth)
        return known[at] * depth / at

    def _ratios(self, where: Place) -> dict[int, float]:
        """What wider forwards cost against one over a single position, at the nearest place where they were tried."""
        tried = [other for other in self._verify if other.kv == where.kv and max(self._curve(other), default=1) > 1]
        if not tried:
            return {}
        other = _nearest_place(tried, where)
        base = self._base_seconds(other)
        return {at: seconds / base for at, seconds in self._curve(other).items() if at > 1} if base else {}

    def _curve(self, where: Place) -> dict[int, float]:
        """Measured seconds by width."""
        return {width: cost.seconds for width, cost in self._verify.get(where, {}).items() if cost.samples}


def ratio_at(measured: Mapping[int, float], width: int) -> float:
    """The cost of a width, in forwards over one position, on straight lines between the measured ones."""
    points = sorted({1: 1.0, **measured}.items())
    for (narrow, low), (wide, high) in itertools.pairwise(points):
        if width <= wide:
            return low + (high - low) * (width - narrow) / (wide - narrow)
    widest, ratio = points[-1]
    return ratio + optimistic_ratio(1 + width - widest) - 1


def optimistic_ratio(width: int) -> float:
    """What a width costs, in forwards over one position, where verifying is as cheap as anywhere."""
    return 1 + WIDER * (width - 1)


def nearest(known: Mapping[int, object], wanted: int) -> int:
    """The key that is nearest, of two the smaller."""
    return min(known, key=lambda key: (abs(key - wanted), key))


def _nearest_place(known: Iterable[Place], wanted: Place) -> Place:
    return min(known, key=lambda other: (abs(other.rows - wanted.rows), abs(other.context - wanted.context), other))
