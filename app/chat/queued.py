"""QueuedChip: a message that is sent when the running reply ends, and can be taken back until then."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.theme.buttons import PaintedButton
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

MAX_WIDTH = 420


class QueuedChip(PaintedButton):
    """Hidden while nothing waits; a press takes the text back."""

    taken_back = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Take back the waiting message", parent)
        self.waiting = ""
        self.setFixedHeight(28)
        self.clicked.connect(self.taken_back)
        self.hide()

    def add(self, text: str) -> None:
        """Let a text wait, below one that waits already."""
        self.waiting = f"{self.waiting}\n{text}" if self.waiting else text
        self.setAccessibleDescription(self.waiting[:200])
        self.updateGeometry()
        self.update()
        self.show()

    def take(self) -> str:
        text, self.waiting = self.waiting, ""
        self.hide()
        return text

    def sizeHint(self) -> QSize:
        width = QFontMetricsF(font("interface")).horizontalAdvance(self._words()) + 12 + 26
        return QSize(min(MAX_WIDTH, round(width) + 2), 28)

    def _words(self) -> str:
        return f"Next: {' '.join(self.waiting[:200].split())}"

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        rect = QRectF(self.rect())
        draw_round(painter, rect, 7, tokens.hover if self.is_hovered else tokens.sunken)
        metrics = QFontMetricsF(font("interface"))
        painter.setFont(font("interface"))
        painter.setPen(QColor(tokens.ink2))
        words = metrics.elidedText(self._words(), Qt.TextElideMode.ElideRight, rect.width() - 38)
        painter.drawText(QPointF(12, rect.center().y() + metrics.capHeight() / 2), words)
        draw_symbol(painter, "close", tokens.ink2, QRectF(rect.right() - 21, rect.center().y() - 6, 12, 12))
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, rect, 7)
