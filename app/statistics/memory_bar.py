"""MemoryBar: what models and caches take of the memory that they may take, in one line and a bar."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from app.statistics.chart import draw_words
from app.statistics.memory import MemoryWatch
from app.statistics.shares import memory_shares, memory_words, used_bytes
from app.statistics.sizes import scaled
from app.statistics.stack import draw_stack
from app.theme.buttons import KeyboardFocus
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

BAR, HEIGHT, STEPS = 6, 28, 1000
ALL_OF_IT, IN_SHORT = "for models and caches", "of memory"
PRESSING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class MemoryBar(KeyboardFocus, QProgressBar):
    """A click or Enter asks for the statistics."""

    clicked = Signal()

    def __init__(self, theme: Theme, memory: MemoryWatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._memory = memory
        self.words = ""
        self.setRange(0, STEPS)
        self.setTextVisible(False)
        self.setFixedHeight(scaled(HEIGHT))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Memory")
        memory.watch(self)
        memory.changed.connect(self._refresh)
        theme.tokens_changed.connect(self._refit)
        self._refresh()

    def _refresh(self) -> None:
        report = self._memory.report
        if report is None:
            return
        used, whole = used_bytes(report), report.limit_bytes or used_bytes(report)
        self.words = f"{memory_words(report)} {ALL_OF_IT}"
        self.setValue(min(STEPS, round(STEPS * used / whole)) if whole else 0)
        self.setAccessibleName(f"Memory: {self.words}".replace("GB", "gigabytes"))
        rows = "\n".join(f"{share.name}: {share.value}" for share in memory_shares(report))
        self.setToolTip(plain_tooltip(rows).replace("\n", "<br>"))
        self.update()

    def _refit(self) -> None:
        self.setFixedHeight(scaled(HEIGHT))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens, report = self._theme.tokens, self._memory.report
        shares = memory_shares(report) if report else ()
        whole = (report.limit_bytes or used_bytes(report)) if report else 0
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        painter.save()
        if is_mirrored:
            painter.translate(self.width(), 0)
            painter.scale(-1, 1)
        draw_stack(painter, tokens, QRectF(0, 1, self.width(), BAR), shares, whole)
        painter.restore()
        shown = words_within(self.width(), memory_words(report)) if report else ""
        start = QPointF(self.width() if is_mirrored else 0, scaled(HEIGHT) - 6)
        draw_words(painter, tokens.ink3, "small", shown, start, float(is_mirrored))
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, QRectF(self.rect()), 5)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in PRESSING:
            self.clicked.emit()
            return
        super().keyPressEvent(event)


def words_within(width: float, size: str) -> str:
    """What the size is of, in as many words as there is room for."""
    metrics = QFontMetricsF(font("small"))
    longer = (f"{size} {words}" for words in (ALL_OF_IT, IN_SHORT))
    return next((words for words in longer if metrics.horizontalAdvance(words) <= width), size)
