"""GrowingMarkdown: the blocks of one part of a reply; what is closed is never parsed again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from app.chat.blocks.block import Block
from app.chat.markdown_live import LiveParser
from app.chat.markdown_parts import MAX_PART, MAX_WHOLE, cut_source
from app.chat.markdown_pieces import Piece, Place
from app.chat.markdown_reader import Before, parse

_PART_GAP = 12  # px


class PieceBlock(Block, Protocol):
    def take(self, piece: Piece) -> bool:
        """Become another state of the same piece; False where it is another kind of piece."""
        ...

    def move(self, place: Place, source: str, source_start: int) -> None: ...


MakePart = Callable[[str, int, Place], PieceBlock]  # of some pages of Markdown that are parsed when they are seen
MakeBlock = Callable[[Piece, str, int], PieceBlock]  # of a piece, its source, and where that begins in the message


class GrowingMarkdown:
    def __init__(self, make: MakeBlock, start: int, *, first_gap: int = 0, make_part: MakePart | None = None) -> None:
        """The part's text begins at `start` of the message's text; the first block has `first_gap` above."""
        self.blocks: list[PieceBlock] = []
        self.end = start  # of what was taken in, in the message's text
        self._make = make
        self._make_part = make_part
        self._first_gap = first_gap
        self._parser = LiveParser()
        self._start = start
        self._num_closed = 0

    def append(self, text: str, *, is_live: bool = True) -> int:
        """Take more text; returns the index of the first block that is another, or looks otherwise, than before."""
        self.end += len(text)
        if self._make_part and len(text) > MAX_WHOLE:
            return self._show_parts(self._parser.source + text, self._make_part, is_live=is_live)
        return self._parse(text, is_live=is_live)

    def _parse(self, text: str, *, is_live: bool) -> int:
        parsed, source = self._parser.parse(text, is_live=is_live)
        first_changed = self._show(parsed.pieces, source)
        self._num_closed += parsed.num_closed
        self._start += parsed.open_offset
        return first_changed

    def _show_parts(self, text: str, make_part: MakePart, *, is_live: bool) -> int:
        """A very long source in parts that are parsed when they are seen; the last of one that grows is still open."""
        first = self._num_closed
        del self.blocks[first:]
        closed = cut_source(text)
        last = closed.pop() if is_live else ""
        for source in closed:
            place = Place(gap=_PART_GAP, joint="\n\n") if self.blocks else Place(gap=self._first_gap)
            if len(source) > MAX_PART:  # one block that lays out only what is seen of it, or many
                self._show_whole(source)
            else:
                self.blocks.append(make_part(source, self._start, place))
            self._start += len(source)
        self._num_closed = len(self.blocks)
        self._parser = LiveParser(Before(is_empty=not self.blocks))
        if last:
            self._parse(last, is_live=True)
        return first

    def _show_whole(self, source: str) -> None:
        self._num_closed = len(self.blocks)
        self._show(parse(source, Before(is_empty=not self.blocks)).pieces, source)

    def _show(self, pieces: Sequence[Piece], source: str) -> int:
        num_blocks = self._num_closed + len(pieces)
        changed = [offset for offset, piece in enumerate(pieces) if self._show_one(offset, piece, source)]
        if num_blocks < len(self.blocks):
            del self.blocks[num_blocks:]
            changed.append(len(pieces))
        return self._num_closed + min(changed, default=len(pieces))

    def _show_one(self, offset: int, piece: Piece, whole: str) -> bool:
        """Put a piece of the open source in its place; False where the block that stood there looks as it did."""
        index = self._num_closed + offset
        source = whole[piece.place.start : piece.place.end]
        start = self._start + piece.place.start
        if index == 0 and self._first_gap:
            piece = replace(piece, place=replace(piece.place, gap=self._first_gap, joint="\n\n"))
        if index < len(self.blocks) and self.blocks[index].take(piece):
            self.blocks[index].move(piece.place, source, start)
            return not self.blocks[index].is_laid_out
        self.blocks[index:] = [self._make(piece, source, start)]
        return True
