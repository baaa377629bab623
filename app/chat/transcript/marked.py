"""What is marked, as it is copied: the words alone, or the Markdown that they were written in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.chat.blocks.block import Block, Span

Marked = Sequence[tuple[Block, Span]]

_DEFINITION = re.compile(r"^ {0,3}\[([^\]\n]+)\]:[ \t]*\S.*$", re.MULTILINE)


def join_text(marked: Marked) -> str:
    """Parts of blocks without their Markdown, set in as their lists are."""
    parts: list[str] = []
    for block, span in marked:
        if block.text(*span).strip("\n"):
            parts += [block.joint if parts else "", block.text_in_lists(*span).strip("\n")]
    return "".join(parts)


def join_markdown(text: str, marked: Marked) -> str:
    """Parts of the blocks of a message's text: its source for whole blocks, and what stands between them there."""
    parts: list[str] = []
    end: int | None = None  # in the text, of the block before
    for block, span in marked:
        source, start = block.markdown(), block.source_start
        is_there = bool(source) and text.startswith(source, start)
        is_whole = is_there and span == (0, block.length)
        words = source if is_whole else block.markdown_of(*span)
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
