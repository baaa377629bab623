"""RuleBlock: the hairline between two parts of a reply."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from app.chat.blocks.base import PlacedBlock
from app.chat.blocks.block import BlockPaint
from app.chat.markdown_pieces import Piece, Rule

_HEIGHT = 1.0
_WORDS = "---"


class RuleBlock(PlacedBlock):
    """Its text is what it is written as, so that it is copied with what stands around it."""

    is_laid_out = True

    def take(self, piece: Piece) -> bool:
        return isinstance(piece, Rule)

    def estimate(self, width: float) -> float:
        return _HEIGHT

    def set_width(self, width: float) -> float:
        self._width = width
        return _HEIGHT

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        self.paint_mark_beside(painter, paint.tokens, 0)
        is_marked = paint.selection is not None and paint.selection[0] < paint.selection[1]
        colour = paint.tokens.target if is_marked else paint.tokens.line
        painter.fillRect(QRectF(self.inset, 0, self._width - self.inset, _HEIGHT), QColor(colour))

    @property
    def length(self) -> int:
        return len(_WORDS)

    def text(self, start: int, end: int) -> str:
        return _WORDS[max(0, start) : max(0, end)]

    def position_at(self, point: QPointF) -> int:
        return 0 if point.x() < self._width / 2 else self.length

    def rect_of(self, position: int) -> QRectF:
        return QRectF(self.inset if position < self.length else self._width, 0, 1, _HEIGHT)

    def describe(self) -> str:
        return self.named("Separator")
