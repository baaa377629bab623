"""The composer's painted buttons: a chip that opens a menu, and Send, which is Stop while a reply runs."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.theme.buttons import PaintedButton
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

HEIGHT = 30


class Chip(PaintedButton):
    """Symbol, words, quieter words, chevron."""

    def __init__(
        self, theme: Theme, symbol: str, name: str, colour: str = "ink2", parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, name, parent)
        self._symbol = symbol
        self._colour = colour
        self._name = name
        self._words = ""
        self._quiet = ""
        self._is_short = False
        self.setFixedHeight(HEIGHT)

    def set_words(self, words: str, quiet: str = "") -> None:
        self._words, self._quiet = words, quiet
        self.setAccessibleName(f"{self._name}: {words} {quiet}".rstrip())
        self.updateGeometry()
        self.update()

    def set_short(self, is_short: bool) -> None:
        """In a narrow window the quieter words go."""
        if is_short != self._is_short:
            self._is_short = is_short
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        width = 8 + 16 + 6 + QFontMetricsF(font("interface-medium")).horizontalAdvance(self._words) + 6 + 14 + 6
        if self._shown_quiet:
            width += QFontMetricsF(font("interface")).horizontalAdvance(self._shown_quiet) + 5
        return QSize(round(width) + 1, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, HEIGHT)

    @property
    def _shown_quiet(self) -> str:
        return "" if self._is_short else self._quiet

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        rect = QRectF(self.rect())
        if self.is_hovered or self.isDown():
            draw_round(painter, rect, 7, tokens.hover)
        middle = self.height() / 2
        draw_symbol(painter, self._symbol, getattr(tokens, self._colour), QRectF(8, middle - 8, 16, 16))
        room = self.width() - 30 - 26
        left = 30.0
        for words, use, colour in (
            (self._words, "interface-medium", tokens.ink2),
            (self._shown_quiet, "interface", tokens.ink3),
        ):
            metrics = QFontMetricsF(font(use))
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(0.0, 30 + room - left + 2))
            painter.setFont(font(use))
            painter.setPen(QColor(colour))
            painter.drawText(QPointF(left, middle + metrics.capHeight() / 2), shown)
            left += metrics.horizontalAdvance(shown) + 5 if shown else 0
        draw_symbol(painter, "chevron-down", tokens.ink3, QRectF(self.width() - 20, middle - 7, 14, 14))
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, rect, 7)


class SendButton(PaintedButton):
    """Send and Stop have the same place and size."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Send this message", parent)
        self.is_stop = False
        self.setFixedSize(36, 36)

    def set_stop(self, is_stop: bool) -> None:
        self.is_stop = is_stop
        name = "Stop this reply" if is_stop else "Send this message"
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        square = QRectF(2, 2, 32, 32)
        if self.is_stop:
            draw_round(painter, square, 9, tokens.ink)
            draw_round(painter, QRectF(13, 13, 10, 10), 2, tokens.canvas)
        elif self.isEnabled():
            is_warm = self.is_hovered or self.isDown()
            draw_round(painter, square, 9, tokens.target_hover if is_warm else tokens.target)
            draw_symbol(painter, "send", tokens.on_target, QRectF(10, 10, 16, 16))
        else:
            draw_round(painter, square, 9, tokens.hover)
            draw_symbol(painter, "send", tokens.ink3, QRectF(10, 10, 16, 16))
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, QRectF(self.rect()), 10)
