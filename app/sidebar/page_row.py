"""PageRow: a row of the sidebar that opens a page as a tab."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.sidebar.delegate import INSET, ROW_HEIGHT, draw_title
from app.theme.buttons import PaintedButton
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.mirroring import mirrored
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

SYMBOL = 16


class PageRow(PaintedButton):
    def __init__(self, theme: Theme, symbol: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, f"Open {title}", parent)
        self._symbol = symbol
        self._title = title
        self._is_current = False
        self.setFixedHeight(ROW_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_current(self, is_current: bool) -> None:
        self._is_current = is_current
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        ground = QRectF(self.rect()).adjusted(INSET, 0, -INSET, 0)
        if self._is_current:
            draw_round(painter, ground, 7, tokens.target_soft)
        elif self.is_hovered or self.isDown():
            draw_round(painter, ground, 7, tokens.hover)
        symbol = QRectF(ground.left() + 10, ground.top() + 7, SYMBOL, SYMBOL)
        draw_symbol(painter, self._symbol, tokens.ink2, mirrored(symbol, ground, self.layoutDirection()))
        room = mirrored(ground.adjusted(36, 0, -10, 0), ground, self.layoutDirection())
        draw_title(painter, room, self._title, tokens.ink if self._is_current else tokens.ink2, "interface-medium")
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, ground, 7)
