"""Reads the small files of a model folder, which may be damaged, enormous or no files at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MOST_BYTES = 64_000_000  # of settings; those of a tokenizer may list all of its tokens


def read_start(path: Path, most_bytes: int = MOST_BYTES) -> str:
    """The first bytes of a file as text; "" where it is missing, unreadable or something that a read could wait for."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(most_bytes).decode("utf-8", errors="replace")
    except OSError:
        return ""


def read_settings(path: Path) -> dict[str, Any]:
    """A JSON object; a missing or damaged file, one that is too large, or another kind of value gives an empty one."""
    try:
        value = json.loads(read_start(path))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
