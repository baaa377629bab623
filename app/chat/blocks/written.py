"""Spans back as Markdown, for what is copied of a paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.chat.blocks.units import count_units, slice_units
from app.chat.markdown_inline import Span

_TICKS = re.compile("`+")


def cut_spans(spans: Sequence[Span], start: int, end: int) -> Iterator[Span]:
    """What of spans lies between two positions, in UTF-16 units."""
    place = 0
    for span in spans:
        text = slice_units(span.text, start - place, end - place)
        if text:
            yield Span(text, span.style)
        place += count_units(span.text)


def write_spans(spans: Sequence[Span]) -> str:
    return "".join(map(_write, spans)).replace("\u2028", "\n")


def _write(span: Span) -> str:
    """A span in its marks, which stand against its words."""
    style, words = span.style, span.text.strip()
    if style.is_formula or not words:
        return span.text
    if style.is_code:
        words = _write_code(words)
    for mark in ("~~" * style.is_struck, "*" * style.is_italic, "**" * style.is_bold):
        words = f"{mark}{words}{mark}"
    if style.href and style.href != span.text:
        words = f"[{words}]({style.href})"
    before = span.text[: len(span.text) - len(span.text.lstrip())]
    return before + words + span.text[len(span.text.rstrip()) :]


def _write_code(words: str) -> str:
    longest = max((len(found[0]) for found in _TICKS.finditer(words)), default=0)
    mark = "`" * (longest + 1)
    return f"{mark} {words} {mark}" if longest else f"{mark}{words}{mark}"
