"""PlacedBlock: what most kinds of block have in common."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from app.chat.blocks.block import BlockPaint
from app.chat.blocks.looks import QUOTE_INDENT, indent
from app.chat.markdown_pieces import Place
from app.theme.tokens import Tokens

_QUOTE_LINE = 2


def moved(paint: BlockPaint, x: float, y: float) -> BlockPaint:
    """For what is painted with its own top left corner at a place of the block."""
    hover = None if paint.hover is None else paint.hover - QPointF(x, y)
    return replace(paint, clip=paint.clip.translated(-x, -y), hover=hover)


class PlacedBlock:
    """A block made of one piece: where it stands, its source, and answers for what it has not got."""

    def __init__(self, place: Place, source: str, source_start: int) -> None:
        self.place = place
        self.gap = place.gap
        self.joint = place.joint
        self.source_start = source_start
        self._source = source
        self._width = -1.0

    def move(self, place: Place, source: str, source_start: int) -> None:
        """Take the place of the same piece in a longer source."""
        self.place = place
        self.gap = place.gap
        self.joint = place.joint
        self.source_start = source_start
        self._source = source

    @property
    def inset(self) -> float:
        """Px at the start side that lists and quotes around it take."""
        return float(indent() * self.place.level + QUOTE_INDENT * self.place.num_quotes)

    @property
    def is_hidden(self) -> bool:
        return False

    def paint_quotes(self, painter: QPainter, tokens: Tokens, height: float, *, is_mirrored: bool = False) -> None:
        """The lines of the quotes around it; those that go on reach up to the block before."""
        for index in range(self.place.num_quotes):
            left = QUOTE_INDENT * index
            top = -self.gap if index < self.place.num_quotes_on else 0
            x = self._width - left - _QUOTE_LINE if is_mirrored else left
            painter.fillRect(QRectF(x, top, _QUOTE_LINE, height - top), QColor(tokens.line))

    def markdown(self) -> str:
        return self._source

    def link_at(self, point: QPointF) -> str:
        return ""

    def press(self, point: QPointF) -> bool:
        return False

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        return False

    def reveal(self, position: int) -> None:
        return None

    def release(self) -> None:
        return None

    def position_at(self, point: QPointF) -> int:
        return 0

    def rect_of(self, position: int) -> QRectF:
        return QRectF(0, 0, 1, 1)
