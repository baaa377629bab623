"""Words of the interface that blocks paint in themselves: headings, buttons, chips."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app.theme.fonts import font

_FLAGS = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


def words_width(words: str, use: str = "small") -> float:
    return QFontMetricsF(font(use)).horizontalAdvance(words)


def draw_words(painter: QPainter, words: str, colour: str, rect: QRectF, use: str = "small") -> None:
    """One line in the middle of a rect's height, cut at its end where it is too long."""
    painter.setFont(font(use))
    painter.setPen(QColor(colour))
    cut = QFontMetricsF(font(use)).elidedText(words, Qt.TextElideMode.ElideRight, rect.width() + 1)
    painter.drawText(rect, _FLAGS, cut)
