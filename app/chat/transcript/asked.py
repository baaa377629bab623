"""The blocks of a user's message: as it was written, but fenced code as code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.chat.blocks.block import Block
from app.chat.blocks.code_block import CodeBlock
from app.chat.blocks.looks import is_mirrored
from app.chat.blocks.user_block import SHARE, UserBlock
from app.chat.markdown_pieces import Code, Place

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^\n]*?)[ \t]*$", re.MULTILINE)
_MOST = 100_000  # characters that are looked through for fences at once
_GAP = 6  # px


class AskedCode(CodeBlock):
    """Code at the end side, as wide as the user's text may be."""

    @property
    def inset(self) -> float:
        return 0.0 if is_mirrored() else self._width * (1 - SHARE)


def with_code(blocks: list[Block]) -> list[Block]:
    """The blocks of a user's message, its text cut at code between fences; a fence without an end is text."""
    if not blocks or not isinstance(text := blocks[-1], UserBlock) or len(text.markdown()) > _MOST:
        return blocks
    cut = list(_cut(text.markdown()))
    if len(cut) == 1 and isinstance(cut[0], UserBlock):
        return blocks
    gaps = [text.gap, *[_GAP] * (len(cut) - 1)]
    for block, gap in zip(cut, gaps, strict=True):
        joint = "\n" if gap == _GAP else text.joint
        block.move(Place(gap=gap, joint=joint), block.markdown(), block.source_start)
    return [*blocks[:-1], *cut]


def _cut(text: str) -> Iterator[UserBlock | AskedCode]:
    end = 0
    for opening, closing in _fenced(text):
        yield from _written(text, end, opening.start())
        code = text[opening.end() + 1 : max(opening.end() + 1, closing.start() - 1)]
        language = opening[2].split(maxsplit=1)[0] if opening[2] else ""
        source = text[opening.start() : closing.end()]
        yield AskedCode(Code(Place(), code, language), source, opening.start())
        end = closing.end()
    yield from _written(text, end, len(text))


def _fenced(text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Lines that open and close code; one is closed by at least as many of the same signs alone."""
    opening = None
    for line in _FENCE.finditer(text):
        if opening is None:
            is_opening = line[1][0] == "~" or "`" not in line[2]
            opening = line if is_opening else None
        elif not line[2] and line[1].startswith(opening[1]):
            yield opening, line
            opening = None


def _written(text: str, start: int, end: int) -> Iterator[UserBlock]:
    """The text between, without the line ends that its own ground stands for."""
    part = text[start:end]
    shown = part.strip("\n")
    if shown.strip():
        block = UserBlock(shown)
        block.move(block.place, shown, start + part.index(shown))
        yield block
