"""Measurements: how fast drafters were on this machine, kept in the data folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from PySide6.QtCore import QObject, Signal

from app.kept_file import read_kept, write_kept
from app.settings.preferences import decode
from app.system.machine import program_version, system_version

FILE_NAME = "measurements.json"
ALONE, TOGETHER = 1, 4  # replies at once


@dataclass(frozen=True, slots=True)
class Measurement:
    """What replies of one target came to with a drafter and without, under the same conditions."""

    target: str
    drafter: str
    num_replies: int
    speedup: float  # the median over prompts of the drafted rate over the plain one
    plain_rate: float  # tokens per second of all replies together, the median over prompts
    taken_at: float  # Unix seconds
    seconds: float  # that measuring took
    program: str = ""
    system: str = ""
    target_state: str = ""
    drafter_state: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    measurements: tuple[Measurement, ...] = ()


class Measurements(QObject):
    """The latest of each target, drafter and number of replies."""

    changed = Signal(str)  # target

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = folder / FILE_NAME
        kept = read_kept(self._path, lambda found: decode(Kept, found), Kept())
        self._by_key = {_key(one): one for one in kept.measurements if one.target and one.speedup > 0}

    def of(self, target: str, drafter: str, num_replies: int = ALONE) -> Measurement | None:
        return self._by_key.get((target, drafter, num_replies))

    def all_of(self, target: str, num_replies: int = ALONE) -> tuple[Measurement, ...]:
        return tuple(one for one in self._by_key.values() if (one.target, one.num_replies) == (target, num_replies))

    def plain(self, target: str) -> Measurement | None:
        """The latest in which plain decoding of one reply was measured."""
        return max(self.all_of(target), key=lambda one: one.taken_at, default=None)

    def seconds_for(self, target: str, num_drafters: int) -> float | None:
        """How long it will take to measure so many; None where none of this target was measured."""
        took = [one.seconds for one in self.all_of(target, TOGETHER)]
        return mean(took) * num_drafters if took else None

    def keep(self, measurements: Iterable[Measurement]) -> None:
        kept = tuple(measurements)
        self._by_key |= {_key(one): one for one in kept}
        write_kept(self._path, Kept(tuple(self._by_key.values())))
        for target in sorted({one.target for one in kept}):
            self.changed.emit(target)


def is_before_update(measurement: Measurement, target_state: str, drafter_state: str) -> bool:
    """Whether program, system, or the files of target or drafter are others than those that were measured."""
    then = (measurement.program, measurement.system, measurement.target_state, measurement.drafter_state)
    return then != (program_version(), system_version(), target_state, drafter_state)


def _key(measurement: Measurement) -> tuple[str, str, int]:
    return (measurement.target, measurement.drafter, measurement.num_replies)
