"""TextBlock: a paragraph, a heading or a paragraph of a list's item, with the marks before it."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from app.chat.blocks.base import PlacedBlock
from app.chat.blocks.block import BlockPaint
from app.chat.blocks.looks import REPLY, Look, font_of, heading_look, indent, metrics_of, text_scale
from app.chat.blocks.paragraph import Paragraph
from app.chat.blocks.units import slice_units
from app.chat.markdown_pieces import Piece, Text
from app.theme.glyphs import draw_dot

_BULLET_X = 9.0
_BULLET_RADIUS = 2.25
_NUMBER_ROOM = 6.0


class TextBlock(PlacedBlock):
    def __init__(self, piece: Text, source: str, source_start: int, look: Look = REPLY) -> None:
        super().__init__(piece.place, source, source_start)
        self._ordinary = look
        self._set_piece(piece)

    def _set_piece(self, piece: Text) -> None:
        self._piece = piece
        look = heading_look(piece.heading, self._ordinary) if piece.heading else self._ordinary
        self._paragraph = Paragraph(piece.spans, look)
        self._prefix = f"{'  ' * (piece.place.level - 1)}{piece.mark} " if piece.mark else ""

    def take(self, piece: Piece) -> bool:
        """Become another state of the same text as it grows."""
        if not isinstance(piece, Text):
            return False
        if piece.spans != self._piece.spans or piece.heading != self._piece.heading or piece.mark != self._piece.mark:
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
        if self._piece.mark:
            self._paint_mark(painter, paint)
        if paint.hover is not None:
            self._paragraph.underline(painter, self._origin, paint, paint.hover - self._origin)

    def _paint_mark(self, painter: QPainter, paint: BlockPaint) -> None:
        """Bullets are drawn, since those of fonts are heavy; numbers end before the text."""
        look = self._paragraph.look
        baseline = self._paragraph.rows[0].baseline if self._paragraph.rows else look.row_height * 0.75
        if self._piece.mark == "•":
            x = self._from_start(self.inset - indent() + _BULLET_X * text_scale(), 0)
            draw_dot(painter, paint.tokens.ink2, QPointF(x, baseline - metrics_of(look).xHeight() / 2), _BULLET_RADIUS)
            return
        width = metrics_of(look).horizontalAdvance(self._piece.mark)
        painter.setFont(font_of(look))
        painter.setPen(QColor(paint.tokens.ink2))
        painter.drawText(
            QPointF(self._from_start(self.inset - _NUMBER_ROOM - width, width), baseline), self._piece.mark
        )

    def _from_start(self, distance: float, width: float) -> float:
        """Left edge of what stands so far from the side where the text's lines begin."""
        return self._width - distance - width if self._is_mirrored else distance

    def position_at(self, point: QPointF) -> int:
        return self._shift + self._paragraph.position_at(point - self._origin)

    def rect_of(self, position: int) -> QRectF:
        return self._paragraph.rect_of(position - self._shift).translated(self._origin)

    def text(self, start: int, end: int) -> str:
        return slice_units(self._prefix + self._paragraph.plain, start, end).replace("\u2028", "\n")

    def link_at(self, point: QPointF) -> str:
        found = self._paragraph.span_at(point - self._origin)
        return found[0].style.href if found else ""

    def describe(self) -> str:
        text = self.text(0, self.length)
        return f"Heading, {text}" if self._piece.heading else text
