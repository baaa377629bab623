"""UserLines: the lines of a user's message, measured where they may wrap and laid out where they are seen."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from math import ceil

from app.chat.blocks.looks import USER, metrics_of, text_scale
from app.chat.blocks.paragraph import Paragraph
from app.chat.blocks.units import count_units
from app.chat.markdown_inline import Span, Style

_PART = 6_000  # characters of a line that are laid out together
_MAX_KEPT = 400
_MAX_MEASURED = 20_000
_KERNING = 1.05  # by which a line may be wider than its letters
_IS_WIDE = re.compile("[\t`]")
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)[^`].*?(?<!`)\1(?!`)")


class UserLines:
    """Positions count UTF-16 units; `tops` has where a line after the last would begin too."""

    def __init__(self, text: str) -> None:
        self._parts: list[str] = []
        self.starts: list[int] = []
        start = 0
        for line in text.split("\n"):
            for place in range(0, max(1, len(line)), _PART):
                self._parts.append(line[place : place + _PART])
                self.starts.append(start)
                start += count_units(self._parts[-1])
            start += 1
        self.tops = [0.0]
        self.widest = 0.0
        self._room = 0.0
        self._kept: dict[int, Paragraph] = {}

    def __len__(self) -> int:
        return len(self._parts)

    def set_width(self, most: float) -> None:
        """Find the heights of lines no wider than `most` px, and how wide the widest is; many lines take all."""
        self._begin(most)
        self.tops = list(accumulate(map(self._measure, range(len(self))), initial=0.0))
        if self._has_right_to_left and self.widest < most:
            self._room = ceil(self.widest + 1)
            self._kept.clear()

    def _begin(self, most: float) -> None:
        self._room, self.widest = most, most if len(self) > _MAX_KEPT else 0.0
        self._kept.clear()

    def measure_ahead(self, most: float) -> Iterator[None]:
        """Measure a line in each step; `set_width` of the same text is quick after that."""
        self._begin(most)
        for index in range(len(self)):
            self._measure(index)
            yield

    @cached_property
    def _has_right_to_left(self) -> bool:
        return any(not part.isascii() and Paragraph([Span(part)], USER).is_right_to_left for part in self._parts)

    def _measure(self, index: int) -> float:
        """The height of a line; of many lines, one that is surely short enough is a row without a layout."""
        part = self._parts[index]
        is_short = self.widest == self._room and part.isascii() and not _IS_WIDE.search(part)
        if is_short and sum(map(_letters(text_scale()).__getitem__, part)) * _KERNING < self._room:
            return float(USER.row_height)
        height, width = self._size_of(index)
        self.widest = max(self.widest, min(self._room, width))
        return height

    def _size_of(self, index: int) -> tuple[float, float]:
        """Height and natural width of a line; laying one out takes a microsecond for each Chinese character."""
        part = self._parts[index]
        key = hash(part), len(part), self._room, text_scale()
        known = _measured().get(key)
        if known is None:
            if len(_measured()) >= _MAX_MEASURED:
                _measured().clear()
            paragraph = self.paragraph(index)
            known = _measured()[key] = paragraph.height, paragraph.natural_width
        return known

    def release(self) -> None:
        self._kept.clear()

    def paragraph(self, index: int) -> Paragraph:
        """Laid out."""
        made = self._kept.get(index)
        if made is None:
            if len(self._kept) > _MAX_KEPT:
                self._kept.clear()
            made = self._kept[index] = Paragraph(spans_of(self._parts[index]), USER)
        made.lay_out(self._room)
        return made

    def at_height(self, y: float) -> int:
        return min(max(0, bisect_right(self.tops, y) - 1), len(self) - 1)

    def at_position(self, position: int) -> int:
        return max(0, bisect_right(self.starts, position) - 1)


def spans_of(line: str) -> list[Span]:
    """Every letter of a line as it was written; what stands between backticks as code, they among it."""
    spans: list[Span] = []
    end = 0
    for found in _CODE.finditer(line):
        spans += [Span(line[end : found.start()])] if found.start() > end else []
        spans.append(Span(found[0], Style(is_code=True)))
        end = found.end()
    return [*spans, Span(line[end:])] if end < len(line) or not spans else spans


@cache
def _measured() -> dict[tuple[int, int, float, float], tuple[float, float]]:
    """Sizes of lines by hash, length, room and text size; kept when the blocks of a long chat are not."""
    return {}


@lru_cache(maxsize=4)
def _letters(scale: float) -> dict[str, float]:
    """Px of each ASCII letter at a text size."""
    return {letter: metrics_of(USER).horizontalAdvance(letter) for letter in map(chr, range(128))}
