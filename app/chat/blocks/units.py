"""Characters and UTF-16 units: Python counts the first, Qt's layouts the second."""

from __future__ import annotations

import re
from bisect import bisect_left

_WIDE = re.compile("[\U00010000-\U0010ffff]")


def count_units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def is_narrow(text: str) -> bool:
    """Whether each character is one unit."""
    return count_units(text) == len(text)


def slice_units(text: str, start: int, end: int) -> str:
    """The part of a text between two positions in units; half a character at an edge is left out."""
    if is_narrow(text):
        return text[max(0, start) : max(0, end)]
    encoded = text.encode("utf-16-le", "surrogatepass")
    return encoded[2 * max(0, start) : 2 * max(0, end)].decode("utf-16-le", "ignore")


class UnitPlaces:
    """Positions in units of a text's characters, found in one pass over the text."""

    def __init__(self, text: str) -> None:
        self._wide = [] if text.isascii() else [found.start() for found in _WIDE.finditer(text)]

    def of(self, index: int) -> int:
        """Of the character with an index."""
        return index + bisect_left(self._wide, index)
