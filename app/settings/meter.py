"""Meter: how much of a limit is used."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QProgressBar, QWidget

from app.theme.glyphs import draw_round
from app.theme.theme import Theme

HEIGHT, STEPS = 12, 1000


class Meter(QProgressBar):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setRange(0, STEPS)
        self.setTextVisible(False)
        self.setFixedHeight(HEIGHT)
        theme.tokens_changed.connect(self.update)

    def show_share(self, part: int, whole: int, words: str) -> None:
        """`words` are what a screen reader says."""
        self.setValue(min(STEPS, round(STEPS * part / whole)) if whole else 0)
        self.setAccessibleName(words)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect, tokens = QRectF(self.rect()), self._theme.tokens
        draw_round(painter, rect, 4, tokens.hover)
        if self.value():
            rect.setWidth(max(HEIGHT, rect.width() * self.value() / STEPS))
            draw_round(painter, rect, 4, tokens.target)
