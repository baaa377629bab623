"""TextBlock: a paragraph, a heading or a paragraph of a list's item, with the marks before it."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from app.chat.blocks.base import LIST_INDENT, PlacedBlock
from app.chat.blocks.block import BlockPaint, Deed
from app.chat.blocks.deeds import links_of
from app.chat.blocks.looks import REPLY, Look, font_of, heading_look
from app.chat.blocks.paragraph import Paragraph
from app.chat.blocks.units import slice_units
from app.chat.blocks.written import cut_spans, write_spans
from app.chat.markdown_pieces import TASK_DONE, TASK_OPEN, Piece, Text

_LIST_INDENT = "    "  # in Markdown: deep enough for what stands in items with numbers


class TextBlock(PlacedBlock):
    def __init__(self, piece: Text, source: str, source_start: int, look: Look = REPLY) -> None:
        super().__init__(piece.place, source, source_start)
        self._ordinary = look
        self._set_piece(piece)

    def _set_piece(self, piece: Text) -> None:
        self._piece = piece
        look = heading_look(piece.heading, self._ordinary) if piece.heading else self._ordinary
        self._paragraph = Paragraph(piece.spans, look)
        self._prefix = f"{'  ' * (piece.place.level - 1)}{piece.place.mark} " if piece.place.mark else ""

    def take(self, piece: Piece) -> bool:
        """Become another state of the same text as it grows."""
        if not isinstance(piece, Text):
            return False
        if (
            piece.spans != self._piece.spans
            or piece.heading != self._piece.heading
            or piece.place.mark != self.place.mark
        ):
            self._set_piece(piece)
        return True

    @property
    def length(self) -> int:
        return len(self._prefix) + self._paragraph.length

    @property
    def is_laid_out(self) -> bool:
        return self._paragraph.is_laid_out

    @property
    def _shift(self) -> int:
        return len(self._prefix)

    @property
    def _origin(self) -> QPointF:
        return QPointF(0 if self._is_mirrored else self.inset, 0)

    @property
    def _is_mirrored(self) -> bool:
        return self._paragraph.is_right_to_left

    def estimate(self, width: float) -> float:
        look = self._paragraph.look
        per_line = max(10.0, (width - self.inset) / (0.52 * font_of(look).pixelSize()))
        parts = self._paragraph.plain.split("\u2028")
        return float(look.row_height * sum(max(1, ceil(len(part) / per_line)) for part in parts))

    def set_width(self, width: float) -> float:
        self._width = width
        return self._paragraph.lay_out(max(40.0, width - self.inset))

    def release(self) -> None:
        self._paragraph.release()

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        self._paragraph.paint_grounds(painter, self._origin, paint, self._shift)
        self.paint_quotes(painter, paint.tokens, self._paragraph.height, is_mirrored=self._is_mirrored)
        self._paragraph.paint(painter, self._origin, paint)
        look = self._paragraph.look
        baseline = self._paragraph.rows[0].baseline if self._paragraph.rows else look.row_height * 0.75
        self.paint_mark(painter, paint.tokens, baseline, look, is_mirrored=self._is_mirrored)
        if paint.hover is not None:
            self._paragraph.underline(painter, self._origin, paint, paint.hover - self._origin)

    def position_at(self, point: QPointF) -> int:
        return self._shift + self._paragraph.position_at(point - self._origin)

    def rect_of(self, position: int) -> QRectF:
        return self._paragraph.rect_of(position - self._shift).translated(self._origin)

    def text(self, start: int, end: int) -> str:
        return slice_units(self._prefix + self._paragraph.plain, start, end).replace("\u2028", "\n")

    def text_in_lists(self, start: int, end: int) -> str:
        lead = LIST_INDENT * self.place.level
        return ("" if self.place.mark else lead) + self.text(start, end).replace("\n", f"\n{lead}")

    def markdown_of(self, start: int, end: int) -> str:
        spans = self._piece.spans
        is_whole = start <= 0 and end >= self.length
        if is_whole and all(not span.style.href or span.style.href in self._source for span in spans):
            return self._source.strip("\n")
        words = write_spans(list(cut_spans(spans, max(0, start - self._shift), end - self._shift)))
        before = "> " * self.place.num_quotes + _LIST_INDENT * max(0, self.place.level - 1)
        first = before + _written_mark(self.place.mark) + "#" * self._piece.heading + " " * bool(self._piece.heading)
        return (first if start <= 0 else "") + words.replace("\n", f"\n{before}")

    def link_at(self, point: QPointF) -> str:
        found = self._paragraph.span_at(point - self._origin)
        return found[0].style.href if found else ""

    def deeds(self) -> Sequence[Deed]:
        return tuple(links_of(self._paragraph, self._origin)) if self.is_laid_out else ()

    def describe(self) -> str:
        text = self.text(0, self.length)
        return f"Heading, {text}" if self._piece.heading else text


def _written_mark(mark: str) -> str:
    """The mark of an item as Markdown writes it, with the space after it."""
    marks = {"": "", "•": "- ", TASK_OPEN: "- [ ] ", TASK_DONE: "- [x] "}
    return marks.get(mark, f"{mark} ")
