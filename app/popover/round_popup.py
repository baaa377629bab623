"""RoundPopup: the ground of what lies over the window until it is closed."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.theme.glyphs import draw_round
from app.theme.theme import Theme

RADIUS = 12


class RoundPopup(QFrame):
    """Deleted when it closes, which Esc and a click beside it do; the keyboard goes back to where it was."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Round also where no compositor shows what is translucent."""
        super().resizeEvent(event)
        path = QPainterPath()
        path.addRoundedRect(QRectF(self.rect()), RADIUS, RADIUS)
        self.setMask(QRegion(path.toFillPolygon().toPolygon()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), self.theme.tokens
        painter.fillRect(self.rect(), QColor(tokens.line))  # where the mask's edge is wider than the round one
        draw_round(painter, QRectF(self.rect()), RADIUS, tokens.raised, tokens.line)
