"""FormulaBlock: a formula on lines of its own; its source stands there until it is drawn, and where it cannot be."""

from __future__ import annotations

import re

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from app.chat.blocks.base import PlacedBlock
from app.chat.blocks.block import BlockPaint
from app.chat.blocks.formula_setter import Drawing, FormulaKey
from app.chat.blocks.formulas import draw_formula, formulas
from app.chat.blocks.looks import CODE, text_scale
from app.chat.blocks.paragraph import Paragraph
from app.chat.blocks.sideways import Sideways
from app.chat.blocks.units import slice_units
from app.chat.markdown_inline import Span
from app.chat.markdown_pieces import Formula, Piece
from app.theme.glyphs import draw_focus_ring

_PIXELS = 17  # letters of formulas are smaller than others of their size
_ROW, _TALL_ROW = 26, 46
_PADDING = 4
_BAR = 6.0
_TALL = re.compile(r"\\(?:[dt]?frac|sum|prod|int|oint|binom|lim|sqrt)\b")


class FormulaBlock(PlacedBlock):
    """Its height has room for the drawing from the first letter of its source on, so that nothing jumps."""

    def __init__(self, piece: Formula, source: str, source_start: int) -> None:
        super().__init__(piece.place, source, source_start)
        self._sideways = Sideways()
        self._set_piece(piece, source)

    def _set_piece(self, piece: Formula, source: str) -> None:
        self._piece = piece
        written = "\n".join(line.strip() for line in source.strip().split("\n"))
        self._source_text = Paragraph([Span(written.replace("\n", "\u2028"))], CODE)
        self._drawing: Drawing | None = None  # that its height was last asked for with

    def _find_drawing(self) -> Drawing | None:
        """None for a formula that is still being written, or not drawn yet, or cannot be."""
        key = FormulaKey(self._piece.source, round(_PIXELS * text_scale()), True)
        return formulas().find(key) if self._piece.is_closed else None

    def take(self, piece: Piece) -> bool:
        if not isinstance(piece, Formula) or piece.source != self._piece.source:
            return False
        self._piece = piece  # its end may have come
        return True

    @property
    def length(self) -> int:
        return self._source_text.length

    @property
    def is_laid_out(self) -> bool:
        return self._source_text.is_laid_out and self._drawing is self._find_drawing()

    def estimate(self, width: float) -> float:
        return float(room_for(self._piece.source))

    def set_width(self, width: float) -> float:
        self._width = width
        self._source_text.lay_out(width - self.inset)
        self._drawing = self._find_drawing()
        if self._drawing is not None:
            self._sideways.set_widths(self._drawing.width, width - self.inset)
        return self._height

    @property
    def _height(self) -> float:
        room = room_for(self._piece.source)
        if self._drawing is None:
            return max(room, self._source_text.height + 2 * _PADDING)
        bar = _BAR if self._sideways.most else 0
        return max(room, round(self._drawing.ascent + self._drawing.descent) + 2 * _PADDING) + bar

    def release(self) -> None:
        self._source_text.release()

    @property
    def _ground(self) -> QRectF:
        """What is seen of the drawing, or of the source."""
        if self._drawing is None:
            size = (self._source_text.natural_width, self._source_text.height)
        else:
            size = (self._drawing.width, self._drawing.ascent + self._drawing.descent)
        room = self._width - self.inset
        left = self.inset + max(0.0, (room - size[0]) / 2 if self._drawing is not None else 0.0)
        bar = _BAR if self._sideways.most else 0
        return QRectF(left, (self._height - bar - size[1]) / 2, min(size[0], room), size[1])

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        self.paint_quotes(painter, paint.tokens, self._height)
        self.paint_mark_beside(painter, paint.tokens, self._height / 2)
        if self._drawing is None:
            origin = QPointF(self.inset, round(self._ground.top()))
            self._source_text.paint_grounds(painter, origin, paint, 0)
            self._source_text.paint(painter, origin, paint, paint.tokens.ink2)
        else:
            self._paint_drawing(painter, paint, self._drawing)
        if paint.has_focus:
            draw_focus_ring(painter, paint.tokens, self._ground.adjusted(-6, -4, 6, 4), 7)

    def _paint_drawing(self, painter: QPainter, paint: BlockPaint, drawing: Drawing) -> None:
        ground = self._ground
        spans = ((paint.drafted, paint.tokens.draft_soft), (paint.found, paint.tokens.draft_soft))
        for colour in (colour for found, colour in spans if found):
            painter.fillRect(ground, QColor(colour))
        if paint.selection and paint.selection[0] < self.length and paint.selection[1] > 0:
            painter.fillRect(ground, QColor(paint.tokens.target_soft))
        painter.save()
        painter.setClipRect(ground.adjusted(-1, -1, 1, 1), Qt.ClipOperation.IntersectClip)
        left = ground.left() - self._sideways.offset
        draw_formula(painter, drawing, paint.tokens.ink, left, ground.top() + drawing.ascent)
        painter.restore()
        self._sideways.paint_fades(painter, ground, paint.tokens.canvas)
        self._sideways.paint_bar(painter, QRectF(self.inset, 0, self._width - self.inset, self._height), paint.tokens)

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        return self._drawing is not None and self._sideways.scroll_by(pixels)

    def position_at(self, point: QPointF) -> int:
        if self._drawing is None:
            return self._source_text.position_at(point - QPointF(self.inset, self._ground.top()))
        return 0 if point.x() < self._ground.center().x() else self.length

    def rect_of(self, position: int) -> QRectF:
        if self._drawing is None:
            return self._source_text.rect_of(position).translated(self.inset, self._ground.top())
        ground = self._ground
        left = ground.left() if position < self.length else ground.right()
        return QRectF(left, ground.top(), 1, ground.height())

    def text(self, start: int, end: int) -> str:
        return slice_units(self._source_text.plain, start, end).replace("\u2028", "\n")

    def markdown_of(self, start: int, end: int) -> str:
        return self._source.strip("\n")

    def describe(self) -> str:
        return self.named(f"Formula, {self._piece.source}")


def room_for(source: str) -> int:
    """Height that a formula most likely needs, known from its first letters on."""
    num_rows = 1 + source.count("\\\\")
    row = _TALL_ROW if _TALL.search(source) else _ROW
    return round(num_rows * row * text_scale()) + 2 * _PADDING
