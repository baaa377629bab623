"""Sizes of text that a user can step through, and the file that held the one that was chosen."""

from __future__ import annotations

from pathlib import Path

from app.kept_file import read_kept

FILE_NAME = "appearance.json"
TEXT_SIZES = (85, 100, 115, 130, 150)  # %


def take_appearance(folder: Path) -> int | None:
    """The text size that `appearance.json` holds, which is removed: the preferences keep it from then on."""
    path = folder / FILE_NAME
    if not path.exists():
        return None
    size = read_kept(path, lambda found: int(found["text_size"]), None)
    path.unlink(missing_ok=True)
    return None if size is None else within_sizes(size)


def within_sizes(size: int) -> int:
    return max(TEXT_SIZES[0], min(TEXT_SIZES[-1], size))


def step_text_size(size: int, steps: int) -> int:
    """The size that is so many steps larger, up to the largest; 100 for none."""
    if not steps:
        return 100
    place = min(range(len(TEXT_SIZES)), key=lambda number: abs(TEXT_SIZES[number] - size))
    return TEXT_SIZES[max(0, min(len(TEXT_SIZES) - 1, place + steps))]
