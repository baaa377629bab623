"""PartBlock: some pages of a very long reply, parsed when they are first seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from app.chat.blocks.base import PlacedBlock, moved
from app.chat.blocks.block import Block, BlockPaint, Deed, Span
from app.chat.blocks.growing import GrowingMarkdown, MakeBlock
from app.chat.blocks.looks import REPLY, font_of
from app.chat.markdown_pieces import Piece, Place


class PartBlock(PlacedBlock):
    """Blocks one under the other that their owner handles as one."""

    def __init__(self, source: str, source_start: int, place: Place, make: MakeBlock) -> None:
        super().__init__(place, source, source_start)
        self._make = make
        self._known: list[Block] = []
        self._tops: list[float] = []

    def take(self, piece: Piece) -> bool:
        return False

    @property
    def blocks(self) -> list[Block]:
        if not self._known:
            growing = GrowingMarkdown(self._make, self.source_start)
            growing.append(self._source, is_live=False)
            self._known = list(growing.blocks)
        return self._known

    @property
    def _starts(self) -> list[int]:
        """Where each block begins in the text, what joins it to the one before left out."""
        lengths = accumulate((len(block.joint) + block.length for block in self.blocks), initial=0)
        return [start + len(block.joint) for start, block in zip(lengths, self.blocks, strict=False)]

    @property
    def length(self) -> int:
        return self._starts[-1] + self.blocks[-1].length if self.blocks else 0

    @property
    def is_laid_out(self) -> bool:
        return bool(self._tops) and all(block.is_laid_out for block in self._known)

    def estimate(self, width: float) -> float:
        per_line = max(10.0, width / (0.52 * font_of(REPLY).pixelSize()))
        return REPLY.row_height * (len(self._source) / per_line + 0.5 * self._source.count("\n"))

    def set_width(self, width: float) -> float:
        self._width = width
        self._tops = []
        bottom = 0.0
        for block in self.blocks:
            self._tops.append(bottom + block.gap)
            bottom = self._tops[-1] + block.set_width(width)
        return bottom

    def release(self) -> None:
        self._tops = []
        for block in self._known:
            block.release()

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        starts = self._starts
        first = max(0, bisect_right(self._tops, paint.clip.top()) - 1)
        last = bisect_right(self._tops, paint.clip.bottom())
        for index in range(first, last):
            block, top = self.blocks[index], self._tops[index]
            painter.translate(0, top)
            block.paint(painter, _shifted(moved(paint, 0, top), starts[index], block.length))
            painter.translate(0, -top)

    def _at(self, point: QPointF) -> tuple[int, Block, QPointF]:
        """The block nearest to a point, where it begins in the text, and the point within it."""
        index = max(0, bisect_right(self._tops, point.y()) - 1)
        return self._starts[index], self.blocks[index], point - QPointF(0, self._tops[index])

    def _of(self, position: int) -> tuple[int, Block]:
        """The block that a position is in, with its index."""
        index = max(0, bisect_right(self._starts, position) - 1)
        return index, self.blocks[index]

    def position_at(self, point: QPointF) -> int:
        if not self._tops:
            return 0
        start, block, within = self._at(point)
        return start + block.position_at(within)

    def rect_of(self, position: int) -> QRectF:
        if not self._tops:
            return QRectF(0, 0, 1, 1)
        index, block = self._of(position)
        within = min(position - self._starts[index], block.length)
        return block.rect_of(within).translated(0, self._tops[index])

    def reveal(self, position: int) -> None:
        if self.blocks:
            index, block = self._of(position)
            block.reveal(position - self._starts[index])

    def text(self, start: int, end: int) -> str:
        return "".join(self._texts(start, end))

    def _texts(self, start: int, end: int) -> Iterator[str]:
        for begin, block in zip(self._starts, self.blocks, strict=True):
            joint_start = begin - len(block.joint)
            yield block.joint[max(0, start - joint_start) : max(0, end - joint_start)]
            if start < begin + block.length and end > begin:
                yield block.text(max(0, start - begin), min(block.length, end - begin))

    def markdown_of(self, start: int, end: int) -> str:
        return "".join(self._copies(start, end, "markdown"))

    def text_in_lists(self, start: int, end: int) -> str:
        return "".join(self._copies(start, end, "text"))

    def _copies(self, start: int, end: int, copy: str) -> Iterator[str]:
        is_first = True
        for begin, block in zip(self._starts, self.blocks, strict=True):
            if start < begin + block.length and end > begin:
                yield "" if is_first else block.joint
                within = max(0, start - begin), min(block.length, end - begin)
                yield block.markdown_of(*within) if copy == "markdown" else block.text_in_lists(*within)
                is_first = False

    def link_at(self, point: QPointF) -> str:
        if not self._tops:
            return ""
        _, block, within = self._at(point)
        return block.link_at(within)

    def deeds(self) -> Sequence[Deed]:
        tops = zip(self.blocks, self._tops, strict=True) if self._tops else ()
        return [replace(deed, rect=deed.rect.translated(0, top)) for block, top in tops for deed in block.deeds()]

    def press(self, point: QPointF) -> bool:
        if not self._tops:
            return False
        _, block, within = self._at(point)
        return block.press(within)

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        if not self._tops:
            return False
        _, block, within = self._at(point)
        return block.scroll_by(within, pixels)

    def describe(self) -> str:
        return "\n".join(block.describe() for block in self.blocks)


def _shifted(paint: BlockPaint, start: int, length: int) -> BlockPaint:
    """Positions from `start` on, for a block of so many."""
    return replace(
        paint,
        selection=_first(_cut([paint.selection], start, length)),
        current=_first(_cut([paint.current], start, length)),
        drafted=_cut(paint.drafted, start, length),
        found=_cut(paint.found, start, length),
    )


def _cut(spans: Iterable[Span | None], start: int, length: int) -> list[Span]:
    moved_spans = ((max(0, span[0] - start), min(length, span[1] - start)) for span in spans if span)
    return [span for span in moved_spans if span[0] < span[1]]


def _first(spans: list[Span]) -> Span | None:
    return spans[0] if spans else None
