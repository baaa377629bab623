"""GrowingMarkdown: the blocks of one part of a reply; what is closed is never parsed again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from app.chat.blocks.block import Block
from app.chat.markdown_pieces import Piece, Place
from app.chat.markdown_reader import NOTHING, Before, parse


class PieceBlock(Block, Protocol):
    def take(self, piece: Piece) -> bool:
        """Become another state of the same piece; False where it is another kind of piece."""
        ...

    def move(self, place: Place, source: str, source_start: int) -> None: ...


MakeBlock = Callable[[Piece, str, int], PieceBlock]  # of a piece, its source, and where that begins in the message


class GrowingMarkdown:
    def __init__(self, make: MakeBlock, start: int, *, first_gap: int = 0) -> None:
        """The part's text begins at `start` of the message's text; the first block has `first_gap` above."""
        self.blocks: list[PieceBlock] = []
        self.end = start  # of what was taken in, in the message's text
        self._make = make
        self._first_gap = first_gap
        self._source = ""  # of what may still change
        self._start = start
        self._before: Before = NOTHING
        self._num_closed = 0

    def append(self, text: str, *, is_live: bool = True) -> int:
        """Take more text; returns the index of the first block that is another, or looks otherwise, than before."""
        self._source += text
        self.end += len(text)
        parsed = parse(self._source, self._before, is_live=is_live)
        first_changed = self._show(parsed.pieces)
        self._num_closed += parsed.num_closed
        self._source = self._source[parsed.open_offset :]
        self._start += parsed.open_offset
        self._before = parsed.before_open
        return first_changed

    def _show(self, pieces: Sequence[Piece]) -> int:
        num_blocks = self._num_closed + len(pieces)
        changed = [offset for offset, piece in enumerate(pieces) if self._show_one(self._num_closed + offset, piece)]
        if num_blocks < len(self.blocks):
            del self.blocks[num_blocks:]
            changed.append(len(pieces))
        return self._num_closed + min(changed, default=len(pieces))

    def _show_one(self, index: int, piece: Piece) -> bool:
        """Put a piece in its place; False where the block that stood there looks as it did."""
        source = self._source[piece.place.start : piece.place.end]
        start = self._start + piece.place.start
        if index == 0 and self._first_gap:
            piece = replace(piece, place=replace(piece.place, gap=self._first_gap, joint="\n\n"))
        if index < len(self.blocks) and self.blocks[index].take(piece):
            self.blocks[index].move(piece.place, source, start)
            return not self.blocks[index].is_laid_out
        self.blocks[index:] = [self._make(piece, source, start)]
        return True
