"""CostLabel: what sending would cost, or how full the context is, in words at the composer's foot."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.chat.counting import Cost
from app.figures import write_count
from app.theme.fonts import font
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

MOST_LISTED = 8  # attachments


class CostLabel(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ""
        self._theme = theme
        self._is_alert = False
        theme.tokens_changed.connect(self.update)

    def show_cost(self, cost: Cost | None) -> None:
        self._show(words_of(cost) if cost else "", "\n".join(parts_of(cost)) if cost else "")
        self._is_alert = cost is not None and cost.is_nearly_full

    def show_words(self, words: str) -> None:
        """Say something else in its place."""
        self._is_alert = False
        self._show(words, "")

    def _show(self, words: str, parts: str) -> None:
        self.setToolTip(plain_tooltip(parts).replace("\n", "<br>"))
        self.setAccessibleDescription(parts)
        if words != self.words:
            self.words = words
            self.setAccessibleName(words)
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(QFontMetricsF(font("small")).horizontalAdvance(self.words)) + 1 if self.words else 0, 20)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        metrics = QFontMetricsF(font("small"))
        painter.setFont(font("small"))
        painter.setPen(QColor(self._theme.tokens.alert if self._is_alert else self._theme.tokens.ink3))
        left = self.width() - metrics.horizontalAdvance(self.words)
        painter.drawText(QPointF(left, self.height() / 2 + metrics.capHeight() / 2), self.words)


def words_of(cost: Cost) -> str:
    """The context meter where nothing is written or little is left; else what is to be read."""
    count = cost.count
    if not cost.draft or cost.is_nearly_full:
        return f"{cost.num_tokens:,} of {write_count(count.context_length, 'tokens')}"
    read = f"{write_count(cost.num_read, 'tokens')} to read"
    return f"{read}, {cost.num_cached:,} cached" if cost.num_cached else read


def parts_of(cost: Cost) -> list[str]:
    """What the prompt consists of, one a line, where it is known."""
    parts = []
    if cost.num_system:
        parts.append(f"System prompt: about {write_count(cost.num_system, 'tokens')}")
    if cost.num_before:
        parts.append(f"Chat: {write_count(max(0, cost.num_before - cost.num_system) + cost.num_come, 'tokens')}")
    known = [(attachment.name, num) for attachment, num in cost.attachments if num is not None]
    if cost.num_before is not None and cost.draft and len(known) == len(cost.attachments):
        written = cost.count.num_tokens - (cost.num_before or cost.num_system) - sum(num for _, num in known)
        parts.append(f"This message: {write_count(max(0, written), 'tokens')}")
    parts += [f"{name}: about {write_count(num, 'tokens')}" for name, num in known[:MOST_LISTED]]
    if len(known) > MOST_LISTED:
        more = sum(num for _, num in known[MOST_LISTED:])
        parts.append(f"{len(known) - MOST_LISTED} more files: about {write_count(more, 'tokens')}")
    room = max(0, cost.count.context_length - cost.num_tokens)
    return [*parts, f"Room for the reply: {write_count(room, 'tokens')}"]
