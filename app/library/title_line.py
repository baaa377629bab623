"""TitleLine: a model's name, its quantisation after it, and an amount at the end."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.sidebar.delegate import draw_title
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.mirroring import mirrored
from app.theme.theme import Theme
from app.theme.tokens import Tokens

HEIGHT, GAP = 20, 6


class TitleLine(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = ("", "", "")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.tokens_changed.connect(self.updateGeometry)
        theme.tokens_changed.connect(self.update)

    def show_title(self, name: str, quantisation: str, amount: str) -> None:
        if (name, quantisation, amount) != self._words:
            self._words = (name, quantisation, amount)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, scaled(HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, rect, tokens = QPainter(self), QRectF(self.rect()), self._theme.tokens
        painter.setLayoutDirection(self.layoutDirection())
        name, quantisation, amount = self._words
        taken = draw_at_end(painter, rect, amount, tokens.ink2)
        draw_name(painter, tokens, rect.adjusted(0, 0, -taken, 0), rect, (name, quantisation))


def draw_name(
    painter: QPainter, tokens: Tokens, room: QRectF, within: QRectF, words: tuple[str, str], *, is_usable: bool = True
) -> None:
    """Name and quantisation in a room at the start of a line; `within` is what a mirrored layout turns around."""
    direction = painter.layoutDirection()
    name, quantisation = words
    width = QFontMetricsF(font("interface-medium")).horizontalAdvance(name)
    beside = QFontMetricsF(font("interface")).horizontalAdvance(quantisation) + GAP if quantisation else 0.0
    width = max(0.0, min(width + 1, room.width() - beside))
    place = QRectF(room.left(), room.top(), width, room.height())
    draw_title(
        painter, mirrored(place, within, direction), name, tokens.ink if is_usable else tokens.ink2, "interface-medium"
    )
    if quantisation:
        place = QRectF(place.right() + GAP, room.top(), beside - GAP + 1, room.height())
        draw_title(painter, mirrored(place, within, direction), quantisation, tokens.ink2)


def draw_at_end(painter: QPainter, rect: QRectF, words: str, colour: str, use: str = "interface") -> float:
    """One line at the end of a rectangle; returns the width that it takes, with room before it."""
    if not words:
        return 0.0
    width = QFontMetricsF(font(use)).horizontalAdvance(words) + 1
    place = QRectF(rect.right() - width, rect.top(), width, rect.height())
    draw_title(painter, mirrored(place, rect, painter.layoutDirection()), words, colour, use)
    return width + 2 * GAP
