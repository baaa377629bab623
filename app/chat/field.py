"""Field: the composer's text field, which grows with its text and tells Enter from a line's end."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QInputMethodEvent, QKeyEvent, QTextBlockFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from app.theme.fonts import font

LINE_HEIGHT = 23
MAX_MEASURED = 200  # blocks; a longer text fills the field anyway
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Field(QPlainTextEdit):
    submitted = Signal()
    escaped = Signal()
    recalled = Signal()  # Up in an empty field
    height_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._most_height = 240
        self._is_composing = False
        self._height = 0
        self.setFont(font("reply"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Message")
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def set_most_height(self, height: int) -> None:
        self._most_height = max(LINE_HEIGHT * 2, height)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in _ENTER and self._is_composing:
            event.accept()
        elif event.key() in _ENTER and not is_shifted:
            self.submitted.emit()
        elif event.key() in _ENTER:
            self.textCursor().insertBlock(QTextBlockFormat())
            self.ensureCursorVisible()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() == Qt.Key.Key_Up and not self.toPlainText():
            self.recalled.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """While an input method composes, Enter belongs to it."""
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste text alone, never its look."""
        if source.hasText():
            self.insertPlainText(source.text())

    def replace_text(self, text: str) -> None:
        """Put another text in the field, in one step that can be undone."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.setTextCursor(cursor)

    def sizeHint(self) -> QSize:
        return QSize(200, self._height)

    def _fit(self) -> None:
        height = min(self._most_height, self._wanted_height())
        is_full = height >= self._most_height
        on, off = Qt.ScrollBarPolicy.ScrollBarAsNeeded, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(on if is_full else off)
        if height != self._height:
            self._height = height
            self.setFixedHeight(height)
            self.height_changed.emit()

    def _wanted_height(self) -> int:
        if self.blockCount() > MAX_MEASURED:
            return self._most_height
        # QPlainTextDocumentLayout gives its size in lines.
        lines = max(1, round(self.document().size().height()))
        return round(lines * max(QFontMetricsF(self.font()).lineSpacing(), 1)) + 6
