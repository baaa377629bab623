"""Paths as the window writes them: the home folder is "~", whose name is often that of its owner."""

from __future__ import annotations

import re
from pathlib import Path


def write_place(path: Path) -> str:
    home = Path.home()
    if path == home or not path.is_relative_to(home):
        return "~" if path == home else str(path)
    return f"~/{path.relative_to(home).as_posix()}"


def write_places(sentence: str) -> str:
    """A sentence of others for people: each path in it is written so."""
    home = str(Path.home())
    return re.sub(rf"(?<![\w/.-]){re.escape(home)}(?![\w.-])", "~", sentence) if len(home) > 1 else sentence
