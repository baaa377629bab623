"""Which folders of the sidebar are folded, kept in the data folder for the next start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.kept_file import read_kept, write_kept

FILE_NAME = "sidebar.json"


@dataclass(frozen=True, slots=True)
class Folding:
    folded: tuple[str, ...] = ()  # names of folders


def read_folding(folder: Path) -> Folding:
    return read_kept(folder / FILE_NAME, _build, Folding())


def write_folding(folder: Path, folding: Folding) -> None:
    write_kept(folder / FILE_NAME, folding)


def _build(found: Any) -> Folding:
    return Folding(tuple(str(name) for name in found["folded"]))
