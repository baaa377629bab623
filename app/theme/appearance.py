"""What a user chose of the looks, kept in the data folder for the next start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.kept_file import read_kept, write_kept

FILE_NAME = "appearance.json"
TEXT_SIZES = (85, 100, 115, 130, 150)  # %


@dataclass(frozen=True, slots=True)
class Appearance:
    text_size: int = 100  # %


def read_appearance(folder: Path) -> Appearance:
    return read_kept(folder / FILE_NAME, _build, Appearance())


def write_appearance(folder: Path, appearance: Appearance) -> None:
    write_kept(folder / FILE_NAME, appearance)


def step_text_size(size: int, steps: int) -> int:
    """The size that is so many steps larger, up to the largest; 100 for none."""
    if not steps:
        return 100
    place = min(range(len(TEXT_SIZES)), key=lambda number: abs(TEXT_SIZES[number] - size))
    return TEXT_SIZES[max(0, min(len(TEXT_SIZES) - 1, place + steps))]


def _build(found: Any) -> Appearance:
    return Appearance(max(TEXT_SIZES[0], min(TEXT_SIZES[-1], int(found["text_size"]))))
