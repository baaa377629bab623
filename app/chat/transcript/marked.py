"""What is marked, as it is copied: the words alone, or the Markdown that they were written in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.chat.blocks.base import PlacedBlock
from app.chat.blocks.block import Block, Span
from app.chat.blocks.text_block import TextBlock
from app.chat.markdown_pieces import Place
from app.chat.transcript.partly import write_part

Marked = Sequence[tuple[Block, Span]]

_DEFINITION = re.compile(r"^ {0,3}\[([^\]\n]+)\]:[ \t]*\S.*$", re.MULTILINE)


def join_text(marked: Marked) -> str:
    """Parts of blocks without their Markdown; what belongs to a list's item stands under its first letter."""
    parts: list[str] = []
    columns: dict[int, int] = {}
    for block, span in marked:
        words = block.text(*span).strip("\n")
        if not words:
            continue
        has_mark = isinstance(block, TextBlock) or span[0] > 0
        if isinstance(block, PlacedBlock):
            words = _indented(words, block.place, columns, has_mark=has_mark)
        parts += [block.joint if parts else "", words]
    return "".join(parts)


def _indented(words: str, place: Place, columns: dict[int, int], *, has_mark: bool) -> str:
    """Set in as far as the item; `has_mark` where its mark is among the words, or is not marked."""
    if not place.level:
        return words
    if not place.mark:
        return _set_in(words, columns.get(place.level, 2 * place.level))
    before = f"{'  ' * (place.level - 1)}{place.mark} "
    columns[place.level] = len(before)
    first, *rest = (words if has_mark else before + words).split("\n", 1)
    return "\n".join([first, *(_set_in(lines, len(before)) for lines in rest)])


def _set_in(words: str, column: int) -> str:
    return "\n".join(" " * column + line if line else line for line in words.split("\n"))


def join_markdown(text: str, marked: Marked) -> str:
    """Parts of the blocks of a message's text: its source for whole blocks, and what stands between them there."""
    parts: list[str] = []
    end: int | None = None  # in the text, of the block before
    for block, span in marked:
        source, start = block.markdown(), block.source_start
        is_there = bool(source) and text.startswith(source, start)
        words = source if span == (0, block.length) else write_part(source, block.text(0, block.length), span)
        if words.strip("\n"):
            is_known = is_there and end is not None and end <= start
            parts += [text[end:start] if is_known else block.joint if parts else "", words]
            end = start + len(source) if is_there else None
    copied = "".join(parts).strip("\n")
    return "\n\n".join([copied, *_definitions(text, copied)])


def _definitions(text: str, copied: str) -> Iterator[str]:
    """Addresses of links that stand elsewhere in the text."""
    if "]:" not in text:
        return
    used = copied.casefold()
    for found in _DEFINITION.finditer(text):
        if f"[{found[1].casefold()}]" in used and found[0] not in copied:
            yield found[0]
