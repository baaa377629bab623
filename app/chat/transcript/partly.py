"""A part of a paragraph written as Markdown again, so that it keeps its marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.chat.blocks.units import count_units, slice_units
from app.chat.markdown_inline import Span, Style
from app.chat.markdown_pieces import Text
from app.chat.markdown_reader import parse

_ENDS = re.compile(r"^(\s*)(.*?)(\s*)$", re.DOTALL)
_MOST = 20_000  # characters that are parsed anew
_SIGNS = "*_`[~"


def write_part(source: str, shown: str, marked: tuple[int, int]) -> str:
    """The part of a block between two positions; what is no paragraph, such as code, as its plain text."""
    start, end = marked
    if shown == source or len(source) > _MOST:
        return slice_units(shown, start, end)
    pieces = parse(source).pieces
    plain = shown.replace("\n", "\u2028")
    if len(pieces) != 1 or not isinstance(piece := pieces[0], Text) or not plain.endswith(piece.text):
        return slice_units(shown, start, end)
    shift = count_units(plain) - count_units(piece.text)
    before = _mark_of(piece) if start == 0 else ""
    escaped = [sign for sign in _SIGNS if f"\\{sign}" in source]
    parts = (_write(span, escaped) for span in _cut(piece.spans, start - shift, end - shift))
    return before + "".join(parts).replace("\u2028", "\n")


def _mark_of(piece: Text) -> str:
    if piece.heading:
        return f"{'#' * piece.heading} "
    return f"{piece.place.mark.replace('•', '-')} " if piece.place.mark else ""


def _cut(spans: Sequence[Span], start: int, end: int) -> Iterator[Span]:
    place = 0
    for span in spans:
        text = slice_units(span.text, start - place, end - place)
        place += count_units(span.text)
        if text:
            yield Span(text, span.style)


def _write(span: Span, escaped: Sequence[str]) -> str:
    """One span with its marks, which stand at letters: those at a blank would be read as signs."""
    before, text, after = _ENDS.findall(span.text)[0]
    if span.style == Style() or not text or span.style.is_formula:
        return _escape(span.text, escaped) if span.style == Style() else span.text
    if span.style.is_code:
        fence = "``" if "`" in text else "`"
        text = f"{fence}{text}{fence}"
    for is_set, mark in ((span.style.is_struck, "~~"), (span.style.is_italic, "*"), (span.style.is_bold, "**")):
        text = f"{mark}{text}{mark}" if is_set else text
    if span.style.href and span.style.href != text:
        text = f"[{text}]({span.style.href})"
    return f"{before}{text}{after}"


def _escape(text: str, signs: Sequence[str]) -> str:
    """Signs that the source needed to escape."""
    for sign in signs:
        text = text.replace(sign, f"\\{sign}")
    return text
