"""SearchField: where words to look for in all chats are typed."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QColor, QFontMetricsF, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.theme.buttons import SymbolButton
from app.theme.fonts import font
from app.theme.mirroring import mirrored
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

SEARCH_KEYS = "Ctrl+Shift+F"
PAUSE_MILLISECONDS = 60  # after the last key
HEIGHT, SYMBOL = 30, 16
STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}


class SearchField(QLineEdit):
    search_asked = Signal(str)  # words; "" when there are none
    step_asked = Signal(int)  # to the next result, or the one before
    chosen = Signal()
    left = Signal()  # Esc in an empty field

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        name: str = "Search chats",
        keys: str = SEARCH_KEYS,
        pause_milliseconds: int = PAUSE_MILLISECONDS,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.keys = QKeySequence(keys)  # that bring one here, as they are shown
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(pause_milliseconds)
        self._timer.timeout.connect(lambda: self.search_asked.emit(self.words))
        self._clear = SymbolButton(theme, "close", "Clear the search", self)
        self._clear.hide()
        self._clear.clicked.connect(self.clear)
        self.setAccessibleName(name)
        self.setPlaceholderText(name)
        self.setFont(font("interface"))
        self.setFixedHeight(HEIGHT)
        self.setTextMargins(*((22, 0, 24, 0) if self.isRightToLeft() else (24, 0, 22, 0)))
        self.textChanged.connect(self._take)
        theme.tokens_changed.connect(self.update)

    def follow(self, action: QAction) -> None:
        """Show the keys of the action that brings one here."""

        def take() -> None:
            self.keys = action.shortcut()
            self.update()

        action.changed.connect(take)
        take()

    @property
    def words(self) -> str:
        return " ".join(self.text().split())

    def _take(self) -> None:
        self._clear.setVisible(bool(self.text()))
        if self.words:
            self._timer.start()
        else:
            self._timer.stop()
            self.search_asked.emit("")  # at once: what was there comes back

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in STEPS:
            self.step_asked.emit(STEPS[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._clear.move(0 if self.isRightToLeft() else self.width() - self._clear.width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        tokens = self._theme.tokens
        symbol = QRectF(9, (HEIGHT - SYMBOL) / 2, SYMBOL, SYMBOL)
        draw_symbol(painter, "search", tokens.ink2, mirrored(symbol, QRectF(self.rect()), self.layoutDirection()))
        keys = self.keys.toString(QKeySequence.SequenceFormat.NativeText)
        metrics = QFontMetricsF(font("small"))
        taken = self.fontMetrics().horizontalAdvance(self.placeholderText()) + self.textMargins().left() + 20
        if not self.text() and taken + metrics.horizontalAdvance(keys) + 10 < self.width() and not self.isRightToLeft():
            painter.setFont(font("small"))
            painter.setPen(QColor(tokens.ink3))
            room = self.rect().adjusted(0, 0, -10, 0)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, keys)
