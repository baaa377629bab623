"""The composer's painted buttons: a chip that opens a menu, a small one inside a chip, and Send, which is also Stop."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme.buttons import PaintedButton
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

HEIGHT = 30
SMALL = 28


class Chip(PaintedButton):
    """Symbol, words, quieter words, chevron; a chip without a symbol always shows its words."""

    def __init__(
        self, theme: Theme, symbol: str, name: str, colour: str = "ink2", parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, name, parent)
        self._symbol = symbol
        self._colour = colour
        self._name = name
        self._words = ""
        self._quiet = ""
        self._last = ""  # of the quieter words
        self._is_strong = False
        self._shows_words = True
        self._shows_quiet = self._shows_last = True
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_words(
        self, words: str, quiet: str = "", *, last: str = "", spoken: str = "", is_strong: bool = False
    ) -> None:
        """`is_strong`: the words are heavy, as they are of the user's own choice.

        `last` are quieter words that stay longer than the others; `spoken` says all in the place of what is shown.
        """
        self._words, self._quiet, self._last, self._is_strong = words, quiet, last, is_strong
        self.setAccessibleName(f"{self._name}: {spoken or f'{words} {quiet}'.rstrip()}")
        self.setToolTip(plain_tooltip(self.accessibleName()))
        self.updateGeometry()
        self.update()

    def set_shown(self, *, words: bool, quiet: bool, last: bool = False) -> None:
        """In a narrow window the quieter words go, the last ones after the others, then the words beside a symbol."""
        if (words, quiet, last) != (self._shows_words, self._shows_quiet, self._shows_last):
            self._shows_words, self._shows_quiet, self._shows_last = words, quiet, last
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(self._left + sum(width for _, width in self._measured()) + 20) + 1, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(60, self.sizeHint().width()), HEIGHT)

    @property
    def _left(self) -> float:
        return 30.0 if self._symbol else 8.0

    def _shown(self) -> list[tuple[str, str, str]]:
        """What stands between symbol and chevron: words, font, token."""
        words = self._words if self._shows_words or not self._symbol else ""
        parts = (self._quiet if self._shows_quiet else "", self._last if self._shows_last else "")
        quiet = " · ".join(part for part in parts if part)
        use = "interface-strong" if self._is_strong else "interface-medium"
        shown = ((words, use, "ink2"), (quiet, "interface", "ink3"))
        return [part for part in shown if part[0]]

    def _measured(self) -> list[tuple[str, float]]:
        return [(words, QFontMetricsF(font(use)).horizontalAdvance(words) + 6) for words, use, _ in self._shown()]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        rect = QRectF(self.rect())
        if self.is_hovered or self.isDown():
            draw_round(painter, rect, 7, tokens.hover)
        middle = self.height() / 2
        if self._symbol:
            draw_symbol(painter, self._symbol, getattr(tokens, self._colour), QRectF(8, middle - 8, 16, 16))
        left = self._left
        for words, use, colour in self._shown():
            metrics = QFontMetricsF(font(use))
            room = max(0.0, self.width() - 24 - left)
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
            painter.setFont(font(use))
            painter.setPen(QColor(getattr(tokens, colour)))
            painter.drawText(QPointF(left, middle + metrics.capHeight() / 2), shown)
            left += metrics.horizontalAdvance(shown) + 6 if shown else 0
        draw_symbol(painter, "chevron-down", tokens.ink3, QRectF(self.width() - 20, middle - 7, 14, 14))
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, rect, 7)


class SmallButton(PaintedButton):
    """One symbol of 12 px inside a chip, as high as the chip."""

    def __init__(self, theme: Theme, symbol: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, name, parent)
        self._symbol = symbol
        self.setFixedSize(SMALL, SMALL)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        place = QRectF(self.rect())
        if self.is_hovered or self.isDown():
            draw_round(painter, place.adjusted(3, 3, -3, -3), 5, tokens.line)
        draw_symbol(painter, self._symbol, tokens.ink2, QRectF(8, 8, 12, 12))
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, place, 7)


class SendButton(PaintedButton):
    """Send and Stop have the same place and size."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Send this message", parent)
        self.is_stop = False
        self._tip, self._cost = "", ""
        self.setFixedSize(36, 36)

    def set_stop(self, is_stop: bool, reason: str = "") -> None:
        """`reason` is why nothing can be sent, for the tooltip."""
        self.is_stop = is_stop
        name = "Stop this reply" if is_stop else "Send this message"
        self.setAccessibleName(name)
        self.setAccessibleDescription("" if is_stop else reason)
        self._tip = name if is_stop else reason or name
        self.set_cost(self._cost)
        self.update()

    def set_cost(self, words: str) -> None:
        """What sending would cost, for the tooltip where no label says it."""
        self._cost = words
        self.setToolTip(f"{self._tip}\n{words}" if words else self._tip)

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
