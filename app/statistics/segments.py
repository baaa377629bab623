"""Segments: which chat's statistics are shown, as one control."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar, QToolButton, QWidget

from app.statistics.chart import running_as_written
from app.statistics.sizes import scaled
from app.theme.buttons import KeyboardFocus
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

HEIGHT, PAD, LEAST, MOST, INSET = 30, 13, 96, 190, 2
ARROW = 12


class Segments(KeyboardFocus, QTabBar):
    """A tab bar, so that arrow keys and screen readers know it."""

    chosen = Signal(str)  # the key of a segment

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._keys: tuple[str, ...] = ()
        self.setAccessibleName(name)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.setUsesScrollButtons(True)
        self.setFixedHeight(scaled(HEIGHT))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.currentChanged.connect(self._choose)
        for button in self.findChildren(QToolButton):  # Qt's own arrows are of another drawing
            button.installEventFilter(self)
        theme.tokens_changed.connect(self._refit)

    def _refit(self) -> None:
        self.setFont(font("interface-medium"))
        self.setFixedHeight(scaled(HEIGHT))
        self.update()

    @property
    def key(self) -> str:
        return self._keys[self.currentIndex()] if 0 <= self.currentIndex() < len(self._keys) else ""

    def choose(self, key: str) -> None:
        """One that is not offered changes nothing."""
        if key in self._keys:
            self.setCurrentIndex(self._keys.index(key))

    def show_segments(self, segments: Sequence[tuple[str, str]]) -> None:
        """Keys and words; the one that was chosen stays chosen."""
        key, keys = self.key, tuple(key for key, _ in segments)
        self.blockSignals(True)
        if keys != self._keys:
            while self.count():
                self.removeTab(0)
            self._keys = keys
            for _ in keys:
                self.addTab("")
            self.setCurrentIndex(keys.index(key) if key in keys else 0)
        for place, (_, words) in enumerate(segments):
            if self.tabText(place) != words:
                self.setTabText(place, words.replace("&", "&&"))
                self.setTabToolTip(place, plain_tooltip(words))
        self.blockSignals(False)
        if self.key != key:
            self.chosen.emit(self.key)

    def tabSizeHint(self, index: int) -> QSize:
        words = self.tabText(index).replace("&&", "&")
        width = round(QFontMetricsF(font("interface-medium")).horizontalAdvance(words)) + 2 * PAD
        return QSize(min(scaled(MOST), width), scaled(HEIGHT))

    def minimumTabSizeHint(self, index: int) -> QSize:
        return QSize(min(scaled(LEAST), self.tabSizeHint(index).width()), scaled(HEIGHT))

    def _choose(self, index: int) -> None:
        if 0 <= index < len(self._keys):
            self.chosen.emit(self._keys[index])

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self._theme.tokens
        if not self.count():
            return
        ground = QRectF(self.tabRect(0).united(self.tabRect(self.count() - 1)))
        ground.setHeight(scaled(HEIGHT))
        draw_round(painter, ground, 9, tokens.hover)
        for index in range(self.count()):
            rect = QRectF(self.tabRect(index))
            is_current = index == self.currentIndex()
            if is_current:
                draw_round(painter, rect.adjusted(INSET, INSET, -INSET, -INSET), 7, tokens.raised, tokens.line)
            painter.setFont(font("interface-medium"))
            painter.setPen(QColor(tokens.ink if is_current else tokens.ink2))
            words = self.tabText(index).replace("&&", "&")
            shown = painter.fontMetrics().elidedText(
                words, Qt.TextElideMode.ElideRight, round(rect.width()) - 2 * PAD + 4
            )
            with running_as_written(painter):
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, shown)
            if is_current and self.has_keyboard_focus:
                draw_focus_ring(painter, tokens, rect, 8)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Draw what scrolls the segments, where they have no room, as everything else is drawn."""
        if event.type() != QEvent.Type.Paint or not isinstance(watched, QToolButton):
            return False
        painter, tokens, rect = QPainter(watched), self._theme.tokens, QRectF(watched.rect())
        painter.fillRect(rect, QColor(tokens.canvas))
        if watched.arrowType() is Qt.ArrowType.LeftArrow:
            painter.translate(rect.width(), 0)
            painter.scale(-1, 1)
        place = QRectF(0, 0, ARROW, ARROW)
        place.moveCenter(rect.center())
        draw_symbol(painter, "chevron-right", tokens.ink2 if watched.isEnabled() else tokens.line, place)
        return True

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.update()
