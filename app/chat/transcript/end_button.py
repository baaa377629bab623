"""EndButton: back to the end, with the number of lines that came since the reader let go of it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFocusEvent, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.figures import write_count
from app.theme.buttons import PaintedButton
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

SIZE = 32
_NAME = "Scroll to the end"


class EndButton(PaintedButton):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, _NAME, parent)
        self._words = ""
        self.num_lines = 0
        self.set_lines(0)
        self.hide()
        theme.tokens_changed.connect(self._fit)

    def set_lines(self, num_lines: int) -> None:
        self.num_lines = num_lines
        self._words = write_count(num_lines) if num_lines else ""
        self._fit()

    def _fit(self) -> None:
        """Also at another size of text."""
        room = round(QFontMetricsF(font("small")).horizontalAdvance(self._words)) + 10 if self._words else 0
        self.setFixedSize(QSize(SIZE + room, SIZE))
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Say the lines where it is asked: a name that ticks is told to a screen reader each time."""
        new = f", {write_count(self.num_lines, 'new lines')}" if self.num_lines else ""
        self.setAccessibleName(f"{_NAME}{new}")
        super().focusInEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        rect = QRectF(self.rect())
        is_warm = self.is_hovered or self.isDown()
        draw_round(painter, rect, SIZE / 2, tokens.hover if is_warm else tokens.raised, tokens.line)
        draw_symbol(painter, "chevron-down", tokens.ink2, QRectF(8, 8, 16, 16))
        if self._words:
            painter.setFont(font("small"))
            painter.setPen(QColor(tokens.ink2))
            place = QRectF(28, 0, rect.width() - 34, rect.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._words)
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, rect, SIZE / 2)
