"""Queued: messages that are sent one after the other, each when a reply ends, and can be taken back until then."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.theme.buttons import PaintedButton
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

MAX_WIDTH = 420
MOST_SHOWN = 3  # chips; more would leave a small window no room to write


class Queued(QWidget):
    """One chip for each message, the next one on top; hidden while nothing waits."""

    taken_back = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.chips: list[QueuedChip] = []
        self._more = QLabel(self)
        self._more.setFont(font("small"))
        self._more.setProperty("kind", "caption")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self._more)
        self.hide()

    @property
    def texts(self) -> list[str]:
        return [chip.waiting for chip in self.chips]

    def add(self, text: str, after: QWidget) -> None:
        """Let a text wait; Tab comes to its chip from the last one, or from `after`."""
        chip = QueuedChip(self._theme, text, self)
        chip.clicked.connect(lambda: self._take_back(chip))
        self._column.insertWidget(len(self.chips), chip, 0, Qt.AlignmentFlag.AlignLeft)
        QWidget.setTabOrder(self.chips[-1] if self.chips else after, chip)
        self.chips.append(chip)
        self._refresh()

    def take_next(self) -> str:
        """The text that has waited longest, or ""."""
        return self._take(self.chips[0]) if self.chips else ""

    def take_all(self) -> str:
        """All that waits as one text, or ""."""
        return "\n".join(self._take(chip) for chip in list(self.chips))

    def _take_back(self, chip: QueuedChip) -> None:
        self.taken_back.emit(self._take(chip))

    def _take(self, chip: QueuedChip) -> str:
        self.chips.remove(chip)
        self._column.removeWidget(chip)
        chip.hide()
        chip.deleteLater()
        self._refresh()
        return chip.waiting

    def _refresh(self) -> None:
        for place, chip in enumerate(self.chips):
            chip.set_next(place == 0)
            chip.setVisible(place < MOST_SHOWN)
        num_more = len(self.chips) - MOST_SHOWN
        self._more.setText(f"and {num_more} more")
        self._more.setVisible(num_more > 0)
        self.setVisible(bool(self.chips))


class QueuedChip(PaintedButton):
    """The beginning of a message that waits; a press takes it back."""

    def __init__(self, theme: Theme, text: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Take back the waiting message", parent)
        self.waiting = text
        self.setAccessibleDescription(text[:200])
        self._lead = "Next"
        self.setFixedHeight(28)

    def set_next(self, is_next: bool) -> None:
        self._lead = "Next" if is_next else "Then"
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = QFontMetricsF(font("interface")).horizontalAdvance(self._words()) + 12 + 26
        return QSize(min(MAX_WIDTH, round(width) + 2), 28)

    def _words(self) -> str:
        return f"{self._lead}: {' '.join(self.waiting[:200].split())}"

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
