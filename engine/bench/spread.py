"""The middle of repeated measurements, and how far they lie apart."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and quartiles; half of the values lie from `low` to `high`."""

    median: float
    low: float
    high: float
    num_values: int


def spread(values: Sequence[float]) -> Spread | None:
    """Median and quartiles of values, which may be single; None where there are none."""
    if not values:
        return None
    low, median, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return Spread(median, low, high, len(values))


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Ours over theirs, pair by pair; a pair in which one was not measured (0.0) is left out."""
    return [mine / other for mine, other in zip(ours, theirs, strict=True) if mine > 0 and other > 0]
