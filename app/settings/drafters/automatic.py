"""Automatic: which drafter is in use where the user chose none, and why."""

from __future__ import annotations

from dataclasses import dataclass

from app.figures import write_bytes
from app.models.drafters import DEFAULT_DRAFTER, DRAFTERS
from app.settings.drafters.candidate import PLAIN, Candidate
from app.settings.drafters.candidates import Candidates, Scan
from app.settings.drafters.measurements import Measurements, is_before_update
from app.system.machine import PLACE

EQUAL = 1.03  # factors of speed within which the smaller drafter is taken
FALLBACK = DRAFTERS[DEFAULT_DRAFTER]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A drafter as Submit has it, what it is called, and one or two sentences on why it is this one."""

    drafter: str
    name: str
    sentence: str
    speedup: float | None = None  # measured here with one reply; None where it is not


class Automatic:
    """Takes the fastest that was measured, and without weights where none was or where memory is short."""

    def __init__(self, candidates: Candidates, measurements: Measurements) -> None:
        self._candidates = candidates
        self._measurements = measurements

    def resolve(self, target: str) -> str:
        """The drafter as Submit has it."""
        return self.explain(target).drafter

    def explain(self, target: str) -> Resolved:
        """Never waits: what is not known yet counts for nothing."""
        scan = self._candidates.of(target)
        best = self._best(scan)
        if best is None:
            return self._resolved(scan, DEFAULT_DRAFTER, f"Uses {FALLBACK}: no drafter is measured on {PLACE} yet.")
        if not best.has_memory:
            needed, limit = write_bytes(best.needed_bytes), write_bytes(best.limit_bytes)
            why = f"With {best.name}, the fastest measured on {PLACE}, the model needs {needed}; {limit} is allowed."
            return self._resolved(scan, DEFAULT_DRAFTER, f"Uses {FALLBACK}. {why}")
        return self._resolved(scan, best.drafter, self._sentence(scan, best))

    def speedup(self, target: str, drafter: str) -> float | None:
        """Measured here with one reply; None where it is not."""
        measurement = self._measurements.of(target, drafter)
        if drafter == PLAIN:
            return 1.0 if self._measurements.plain(target) else None
        return measurement.speedup if measurement else None

    def _best(self, scan: Scan) -> Candidate | None:
        """The fastest with one reply; of those that are as fast, the one that takes least memory.

        n-gram costs nothing where it finds nothing, so where it is not measured it is taken to be as fast as plain.
        """
        speeds = {one.drafter: self.speedup(scan.target, one.drafter) for one in scan.fitting}
        if not any(speeds.values()):
            return None
        known = {name: speed for name, speed in speeds.items() if speed} | {
            DEFAULT_DRAFTER: speeds[DEFAULT_DRAFTER] or 1.0
        }
        least = max(known.values()) / EQUAL
        equal = [one for one in scan.fitting if known.get(one.drafter, 0.0) >= least]
        return min(equal, key=lambda one: (one.num_bytes, -known[one.drafter], one.drafter == PLAIN))

    def _sentence(self, scan: Scan, best: Candidate) -> str:
        measurement = self._measurements.of(scan.target, best.drafter)
        if measurement is None:
            which = "Uses no drafter" if best.drafter == PLAIN else f"Uses {best.name}"
            return f"{which}: none measured faster than plain decoding on {PLACE}."
        speeds = [self.speedup(scan.target, one.drafter) or 0.0 for one in scan.fitting]
        is_fastest = measurement.speedup >= max(speeds)
        praise = "the fastest measured" if is_fastest else "which takes less memory and is within 3% of the fastest"
        is_old = is_before_update(measurement, scan.state, best.state)
        sentence = f"Uses {best.name}, {praise} on {PLACE}{' before an update' if is_old else ''}."
        return f"{sentence} Falls back to {FALLBACK} when memory is short." if best.path else sentence

    def _resolved(self, scan: Scan, drafter: str, sentence: str) -> Resolved:
        candidate = scan.candidate(drafter)
        assert candidate is not None
        return Resolved(drafter, candidate.name, sentence, self.speedup(scan.target, drafter))
