"""SymbolButton: a painted button that shows one symbol; its name is what a screen reader says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object  # PySide lets a class have one of Qt's for a base

KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class KeyboardFocus(_Widget):
    """Before a widget's own class: whether keys brought the focus, which a ring shows then; a click needs none."""

    has_keyboard_focus = False

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.has_keyboard_focus = event.reason() in KEYBOARD_REASONS
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.has_keyboard_focus = False
        super().focusOutEvent(event)


class PaintedButton(KeyboardFocus, QAbstractButton):
    """What painted buttons share: hover, a name, repaint on a theme change."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.is_hovered = False
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.tokens_changed.connect(self.update)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.is_hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self.is_hovered = False
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses it as the space bar does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)


class SymbolButton(PaintedButton):
    """`is_round`: on a round ground of its own, for a button that lies over a text."""

    def __init__(
        self, theme: Theme, symbol: str, name: str, parent: QWidget | None = None, *, is_round: bool = False
    ) -> None:
        super().__init__(theme, name, parent)
        self._is_round = is_round
        size = 32 if is_round else 30
        self._symbol = symbol
        self.setFixedSize(QSize(size, size))

    def set_symbol(self, symbol: str) -> None:
        self._symbol = symbol
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        rect = QRectF(self.rect())
        is_warm = self.isEnabled() and (self.is_hovered or self.isDown())
        if self.isChecked():
            draw_round(painter, rect.adjusted(1, 1, -1, -1), 7, tokens.target_soft)
        elif self._is_round:
            draw_round(painter, rect, 16, tokens.hover if is_warm else tokens.raised, tokens.line)
        elif is_warm:
            draw_round(painter, rect.adjusted(1, 1, -1, -1), 7, tokens.hover)
        middle = rect.center()
        place = QRectF(round(middle.x() - 8), round(middle.y() - 8), 16, 16)
        colour = tokens.target if self.isChecked() else tokens.ink2 if self.isEnabled() else tokens.edge
        draw_symbol(painter, self._symbol, colour, place)
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, rect, 8)
