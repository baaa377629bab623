"""Code in Markdown that is written for a file."""

from __future__ import annotations

import re

_TICKS = re.compile("`+")


def fence(code: str, language: str = "") -> str:
    """A Markdown code block that the code cannot end."""
    ticks = "`" * max(3, 1 + max(map(len, _TICKS.findall(code)), default=0))
    return f"{ticks}{language}\n{code}\n{ticks}"
