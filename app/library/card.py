"""Card: rows on a raised ground with hairlines between them, as widgets or as painted parts of a list."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.theme.glyphs import draw_round
from app.theme.theme import Theme
from app.theme.tokens import Tokens

RADIUS = 10


class Card(QFrame):
    """A column of rows; each draws its own hairline."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(1, 1, 1, 1)
        self.column.setSpacing(0)
        theme.tokens_changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        draw_round(QPainter(self), QRectF(self.rect()), RADIUS, self._theme.tokens.raised, self._theme.tokens.line)


def start_side(widget: QWidget) -> Qt.AlignmentFlag:
    """The side where the layout begins: a label would go by the letters of its text."""
    side = Qt.AlignmentFlag.AlignRight if widget.isRightToLeft() else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute


def draw_card_part(
    painter: QPainter, tokens: Tokens, rect: QRectF, *, is_first: bool, is_last: bool, is_chosen: bool = False
) -> None:
    """One row's part of a card: round where the card begins and ends, a hairline over each but the first."""
    painter.save()
    painter.setClipRect(rect)
    whole = rect.adjusted(0, 0 if is_first else -2 * RADIUS, 0, 0 if is_last else 2 * RADIUS)
    draw_round(painter, whole, RADIUS, tokens.target_soft if is_chosen else tokens.raised, tokens.line)
    if not is_first:
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.drawLine(rect.topLeft(), rect.topRight())
    painter.restore()
