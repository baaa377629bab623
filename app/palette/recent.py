"""What was run in the palette lately, kept for the next start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.kept_file import read_kept, write_kept

FILE_NAME = "palette.json"
NUM_KEPT = 8


@dataclass(frozen=True, slots=True)
class Recent:
    keys: tuple[str, ...] = ()  # of entries, the latest first

    def with_latest(self, key: str) -> Recent:
        return Recent((key, *(one for one in self.keys if one != key))[:NUM_KEPT])


def read_recent(folder: Path) -> Recent:
    return read_kept(folder / FILE_NAME, lambda found: Recent(tuple(map(str, found["keys"]))[:NUM_KEPT]), Recent())


def write_recent(folder: Path, recent: Recent) -> None:
    write_kept(folder / FILE_NAME, recent)
