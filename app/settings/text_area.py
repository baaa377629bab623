"""TextArea: a text of several lines in a form, which counts a moment after typing ends."""

from __future__ import annotations

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QHideEvent
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy

from app.statistics.sizes import scaled
from app.theme.fonts import font

WAIT_MILLISECONDS = 300
PADDING = 14  # px above and under the lines, together


class TextArea(QPlainTextEdit):
    changed = Signal(str)  # what was typed

    def __init__(
        self, name: str, *, num_lines: int = 4, placeholder: str = "", use: str = "interface", width: int = 320
    ) -> None:
        """`use` names a font; a higher or wider place than `num_lines` and `width` px is filled."""
        super().__init__()
        self._kept = ""
        self._size = (width, num_lines)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MILLISECONDS)
        self._timer.timeout.connect(self.flush)
        self.setProperty("kind", "field")
        self.setFont(font(use))
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self._timer.start)

    def show_text(self, text: str) -> None:
        """Show it without telling of a change; what is being typed stays, unless `flush` came before."""
        if self._timer.isActive() or text == self.toPlainText():
            return
        self._kept = text
        self.setPlainText(text)
        self._timer.stop()

    def flush(self) -> None:
        """Tell now of what was typed."""
        self._timer.stop()
        text = self.toPlainText()
        if text != self._kept:
            self._kept = text
            self.changed.emit(text)

    def sizeHint(self) -> QSize:
        width, num_lines = self._size
        return QSize(scaled(width), round(QFontMetricsF(self.font()).lineSpacing() * num_lines) + PADDING)

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(120), self.sizeHint().height())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.flush()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.flush()
