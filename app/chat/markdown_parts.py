"""A very long reply in parts that can be parsed each by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

PART_SIZE = 2_000  # characters that are parsed together
MAX_WHOLE = 40_000  # a shorter source is one part
MAX_PART = 24_000  # of what is cut in the middle of a list or paragraph
_FENCES = ("```", "~~~")
_GOES_ON = re.compile(r"[\s|>]|$")


def cut_source(source: str) -> list[str]:
    """Parts that together are the source, cut at blank lines that lie in no code, list or quote.

    A paragraph or list that is far too long is cut between two lines; code, tables and quotes never are.
    """
    if len(source) <= MAX_WHOLE:
        return [source]
    parts: list[str] = []
    start = 0
    for place, is_blank in _places(source):
        if place - start >= (PART_SIZE if is_blank else MAX_PART):
            parts.append(source[start:place])
            start = place
    return [*parts, source[start:]]


def last_cut(source: str) -> int:
    """Where the last whole line begins that a blank one before it parts from what is above; 0 where none does."""
    end = source.rfind("\n")
    cuts = [place for place, is_after_blank in _places(source) if is_after_blank and place < end]
    return cuts[-1] if cuts else 0


def _places(source: str) -> Iterator[tuple[int, bool]]:
    """Where lines begin that are neither set in nor in code, table or quote; whether a blank one stands before."""
    fence = ""
    is_after_blank = False
    place = 0
    for line in source.split("\n"):
        if not fence and not _GOES_ON.match(line):
            yield place, is_after_blank
        fence = _fence_after(line.strip(), fence)
        is_after_blank = not line.strip()
        place += len(line) + 1


def _fence_after(line: str, fence: str) -> str:
    """The fence that stands open after a line; "" for none."""
    if fence:
        return "" if line.startswith(fence) and not line.strip(fence[0]) else fence
    if not line.startswith(_FENCES):
        return ""
    return line[: len(line) - len(line.lstrip(line[0]))]
