"""How wide the columns of a table are, and which of them hold numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.chat.blocks.looks import Look, metrics_of
from app.chat.markdown_inline import Span

BETWEEN = 24.0  # px from one column to the next
_WIDEST = 320.0  # of a column that shares its line with others and would rather be wider
_NARROWEST = 110.0  # that a column of long texts is pressed to before the table scrolls
_ROOM = 2.0  # so that rounding breaks no line
_NUMBER = re.compile(r"[~≈±×+−–-]?[$€£¥]?\s?\d[\d.,\s\u00a0×/:–-]*(?:\s?[%‰°µ\w/²³]{1,6})?")

Cells = Sequence[tuple[Span, ...]]


def measure_cell(spans: Sequence[Span], look: Look) -> float:
    """Width of its text on one line."""
    return sum(metrics_of(look, span.style).horizontalAdvance(span.text) for span in spans) + _ROOM


def is_number(spans: Sequence[Span]) -> bool:
    text = "".join(span.text for span in spans).strip()
    return not text or _NUMBER.fullmatch(text) is not None


def holds_numbers(cells: Cells) -> bool:
    """Whether a column's cells, its header left out, are numbers."""
    return any(cells) and all(map(is_number, cells))


def fit_columns(natural: Sequence[float], width: float) -> list[float]:
    """Widths of the columns, without what is between them; the sum is over `width` where the table has to scroll."""
    room = width - BETWEEN * (len(natural) - 1)
    if sum(natural) <= room:
        spare = room - sum(natural)
        total = sum(natural) or 1.0
        return [each + spare * each / total for each in natural]
    least = [min(each, _NARROWEST) for each in natural]
    if sum(least) > room:
        return [min(each, _WIDEST) for each in natural]
    return _press(natural, least, room)


def _press(natural: Sequence[float], least: Sequence[float], room: float) -> list[float]:
    """The largest common limit under which the columns fit; those that are narrower keep their width."""
    low, high = 0.0, max(natural)
    for _ in range(24):
        limit = (low + high) / 2
        is_fitting = sum(max(small, min(each, limit)) for each, small in zip(natural, least, strict=True)) <= room
        low, high = (limit, high) if is_fitting else (low, limit)
    return [max(small, min(each, low)) for each, small in zip(natural, least, strict=True)]
