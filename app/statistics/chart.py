"""Chart: what every painted drawing of the statistics shares."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMoveEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from app.statistics.access import announce
from app.statistics.focus_ring import FocusRing
from app.statistics.sizes import scaled
from app.statistics.tables import Table
from app.theme.buttons import KEYBOARD_REASONS
from app.theme.fonts import font
from app.theme.theme import Theme


class Chart(QWidget):
    """A drawing with a sentence and a table behind it; Tab reaches it, so that both can be read."""

    role = QAccessible.Role.Chart
    least_height = 0  # px; 0 where the drawing says itself how high it is

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.table = Table(())
        self.sentence = ""
        self._ring: FocusRing | None = None
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        announce(self, self.role)
        theme.tokens_changed.connect(self.refit)

    def describe(self, sentence: str, table: Table) -> None:
        """Say what is drawn, and draw it anew."""
        self.sentence, self.table = sentence, table
        self.setAccessibleDescription(sentence)
        self.update()

    def refit(self) -> None:
        """Take sizes and colours anew: both come with the theme."""
        self.fit()
        self.update()

    def fit(self) -> None:
        """Take the height that what is drawn needs, at this width and text size."""
        if self.least_height:
            self.setMinimumHeight(scaled(self.least_height))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in KEYBOARD_REASONS:
            self._ring = self._ring or FocusRing(self.theme)
            self._ring.surround(self)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self._ring is not None:
            self._ring.hide()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self._follow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()
        self._follow()

    def _follow(self) -> None:
        if self._ring is not None and self._ring.isVisible():
            self._ring.surround(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QApplication.clipboard().setText(f"{self.sentence}\n{self.table.text}")
            return
        super().keyPressEvent(event)

    @property
    def is_mirrored(self) -> bool:
        return self.layoutDirection() == Qt.LayoutDirection.RightToLeft

    def mirror(self, painter: QPainter) -> None:
        """Let the drawing run the other way where the interface does; texts are drawn after `painter.restore`."""
        if self.is_mirrored:
            painter.translate(self.width(), 0)
            painter.scale(-1, 1)


def draw_words(painter: QPainter, colour: str, use: str, words: str, place: QPointF, align: float = 0.0) -> float:
    """Write at a baseline: from it on (0), around it (0.5) or up to it (1); how wide the words are."""
    width = QFontMetricsF(font(use)).horizontalAdvance(words)
    painter.setFont(font(use))
    painter.setPen(QColor(colour))
    with running_as_written(painter):
        painter.drawText(QPointF(place.x() - align * width, place.y()), words)
    return width


def draw_beside(
    painter: QPainter, colour: str, use: str, words: str, room: QRectF, *, is_at_right: bool, is_high: bool = False
) -> None:
    """Write at the right or left side of a rectangle, whichever way the interface runs, in its middle or at its top."""
    side = Qt.AlignmentFlag.AlignRight if is_at_right else Qt.AlignmentFlag.AlignLeft
    height = Qt.AlignmentFlag.AlignTop if is_high else Qt.AlignmentFlag.AlignVCenter
    painter.setFont(font(use))
    painter.setPen(QColor(colour))
    with running_as_written(painter):
        painter.drawText(room, side | Qt.AlignmentFlag.AlignAbsolute | height | Qt.TextFlag.TextWordWrap, words)


@contextmanager
def running_as_written(painter: QPainter) -> Iterator[None]:
    """Let texts run as their first strong letter does: or a unit would go before its number in a mirrored window."""
    direction = painter.layoutDirection()
    painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    yield
    painter.setLayoutDirection(direction)
