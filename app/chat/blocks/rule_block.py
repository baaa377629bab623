"""RuleBlock: the hairline between two parts of a reply."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from app.chat.blocks.base import PlacedBlock
from app.chat.blocks.block import BlockPaint
from app.chat.markdown_pieces import Piece, Rule

_HEIGHT = 1.0


class RuleBlock(PlacedBlock):
    length = 0
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
        painter.fillRect(QRectF(self.inset, 0, self._width - self.inset, _HEIGHT), QColor(paint.tokens.line))

    def text(self, start: int, end: int) -> str:
        return ""

    def describe(self) -> str:
        return self.named("Separator")
