"""Sideways: scrolling within a block that is wider than its column, with its bar and the fade at a cut edge."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QLinearGradient, QPainter

from app.theme.glyphs import draw_round
from app.theme.tokens import Tokens

_FADE = 28.0
_BAR_HEIGHT = 3.0
_BAR_OPACITY = 0.55
_MIN_BAR = 24.0
_LEAST = 1.0  # px beyond the room that can be scrolled to


class Sideways:
    def __init__(self) -> None:
        self.offset = 0.0
        self._content = 0.0
        self._room = 0.0

    def set_widths(self, content: float, room: float) -> None:
        self._content, self._room = content, room
        self.offset = min(self.offset, self.most)

    @property
    def most(self) -> float:
        """How far it can be scrolled; what rounding adds to widths is not worth a bar."""
        over = self._content - self._room
        return over if over >= _LEAST else 0.0

    def scroll_by(self, pixels: float) -> bool:
        """False where it is at that end already."""
        before = self.offset
        self.offset = min(max(0.0, before + pixels), self.most)
        return self.offset != before

    def show(self, left: float, right: float) -> None:
        """Scroll so that what lies between two places of the content is seen."""
        if left < self.offset or right > self.offset + self._room:
            self.offset = min(max(0.0, (left + right - self._room) / 2), self.most)

    def paint_fades(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        """Over the edges of a rect beyond which there is more."""
        if self.offset > 0:
            _fade(painter, QRectF(rect.left(), rect.top(), _FADE, rect.height()), colour, to_right=False)
        if self.offset < self.most:
            _fade(painter, QRectF(rect.right() - _FADE, rect.top(), _FADE, rect.height()), colour, to_right=True)

    def paint_bar(self, painter: QPainter, rect: QRectF, tokens: Tokens) -> None:
        """At the bottom of a rect; nothing where all is seen."""
        if not self.most or not self._room:
            return
        width = max(_MIN_BAR, rect.width() * self._room / self._content)
        left = rect.left() + (rect.width() - width) * self.offset / self.most
        painter.setOpacity(_BAR_OPACITY)
        draw_round(painter, QRectF(left, rect.bottom() - _BAR_HEIGHT, width, _BAR_HEIGHT), 1.5, tokens.edge)
        painter.setOpacity(1)


def _fade(painter: QPainter, rect: QRectF, colour: str, *, to_right: bool) -> None:
    solid, clear = QColor(colour), QColor(colour)
    clear.setAlpha(0)
    gradient = QLinearGradient(QPointF(rect.left(), 0), QPointF(rect.right(), 0))
    gradient.setColorAt(0, clear if to_right else solid)
    gradient.setColorAt(1, solid if to_right else clear)
    painter.fillRect(rect, gradient)
