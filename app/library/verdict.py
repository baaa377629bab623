"""Verdict: whether a model would fit into this machine's memory, as a row shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    sentence: str = ""  # "Fits, 2.3 GB left"; "" where nothing is known
    share: float = 0.0  # of the memory that is allowed, 1.0 and more is all of it
    is_fit: bool = True


NO_VERDICT = Verdict()
# From the bytes of weights, a drafter's included, to what is said of them.
Judge = Callable[[int], Verdict]
