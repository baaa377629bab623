"""A very long reply in parts that can be parsed each by itself."""

from __future__ import annotations

from collections.abc import Iterator

PART_SIZE = 12_000  # characters that are parsed together
MAX_WHOLE = 40_000  # a shorter source is one part
_FENCES = ("```", "~~~")


def cut_source(source: str) -> list[str]:
    """Parts that together are the source, cut at blank lines that lie in no code, list or quote."""
    if len(source) <= MAX_WHOLE:
        return [source]
    parts: list[str] = []
    start = 0
    for place in _places(source):
        if place - start >= PART_SIZE:
            parts.append(source[start:place])
            start = place
    return [*parts, source[start:]]


def _places(source: str) -> Iterator[int]:
    """Where a line without indentation follows a blank one, outside of code."""
    fence = ""
    is_after_blank = False
    place = 0
    for line in source.split("\n"):
        if is_after_blank and not fence and line[:1].strip():
            yield place
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
