"""Field: the composer's text field, which grows with its text and tells Enter from a line's end."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QFontMetricsF,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from app.chat.attachments import KINDS, LONG_PASTE
from app.chat.composer_history import History
from app.chat.draft import is_blank
from app.chat.spelling import Spelling
from app.theme.fonts import font

LINE_HEIGHT = 23
MAX_MEASURED = 200  # blocks; a longer text fills the field anyway
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Field(QPlainTextEdit):
    submitted = Signal()
    escaped = Signal()
    files_given = Signal(list)  # paths, dropped or pasted
    long_pasted = Signal(str)  # a paste that is too long to be read here
    refused = Signal(str)  # a sentence: why a paste is not taken

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.history = History()
        self.spelling: Spelling | None = None
        self._most_height = 240
        self._is_composing = False
        self._is_replacing = False
        self.written_at = 0.0  # when its writer changed the text last, on the monotonic clock
        self._height = 0
        self._placeholders: tuple[str, ...] = ()
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
        self.textChanged.connect(self._align)
        self.textChanged.connect(self._take_change)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def _align(self) -> None:
        """To the side where its first line begins: this layout aligns all lines alike."""
        is_leftward = self.document().firstBlock().textDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if is_leftward else Qt.AlignmentFlag.AlignLeft
        option = self.document().defaultTextOption()
        if option.alignment() != side:
            option.setAlignment(side)
            self.document().setDefaultTextOption(option)

    @property
    def is_blank(self) -> bool:
        """Whether nothing can be seen in its first lines; one with many lines is taken for a text."""
        block, num_left = self.document().firstBlock(), MAX_MEASURED
        while block.isValid() and num_left:
            if not is_blank(block.text()[:4096]):
                return False
            block, num_left = block.next(), num_left - 1
        return not block.isValid()

    def set_most_height(self, height: int) -> None:
        self._most_height = max(LINE_HEIGHT * 2, height)
        self._fit()

    def set_placeholders(self, *words: str) -> None:
        """What an empty field says: the first of these that its width holds, the shortest last."""
        self._placeholders = words
        self.setAccessibleDescription(words[0])
        self._choose_placeholder()
        self.viewport().update()  # Qt repaints only where the words come or go

    def event(self, event: QEvent) -> bool:
        """Leave Undo to the window, where it has one: what was done last may not be in this text."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and is_undo(event):
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in _ENTER and self._is_composing:
            event.accept()
        elif event.key() in _ENTER and not is_shifted:
            self.submitted.emit()
        elif event.key() in _ENTER:
            self.textCursor().insertBlock(QTextBlockFormat())
            self.ensureCursorVisible()
        elif event.key() == Qt.Key.Key_Escape and not self._is_composing:
            self.escaped.emit()
        elif not self._recall(event):
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """While an input method composes, Enter belongs to it."""
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or source.hasUrls() or source.hasImage()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste text alone, never its look; files and long texts are for the composer to attach."""
        if paths := local_files(source):
            self.files_given.emit(paths)
        elif len(text := source.text()) > LONG_PASTE:
            self.long_pasted.emit(text)
        elif text:
            self.insertPlainText(text)
        elif source.hasImage():
            self.refused.emit(f"A picture is not text. {KINDS}")

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The system's menu; above it what a misspelled word may have meant."""
        menu = self.createStandardContextMenu(event.pos())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        wrong = self.spelling.word_at(self.cursorForPosition(event.pos()).position()) if self.spelling else None
        if self.spelling is not None and wrong is not None:
            top = menu.actions()[0]
            for word in self.spelling.suggestions(wrong.selectedText()):
                action = QAction(word, menu)
                action.triggered.connect(partial(wrong.insertText, word))
                menu.insertAction(top, action)
            menu.insertSeparator(top)
        menu.popup(event.globalPos())

    def replace_text(self, text: str) -> None:
        """Put another text in the field, in one step that can be undone."""
        self._is_replacing = True
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.setTextCursor(cursor)
        self._is_replacing = False

    def _take_change(self) -> None:
        if not self._is_replacing:
            self.written_at = time.monotonic()

    def sizeHint(self) -> QSize:
        return QSize(200, self._height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose_placeholder()

    def _recall(self, event: QKeyEvent) -> bool:
        """Up in the first line, or Down in the last, of an empty or recalled text brings another back."""
        if (
            event.key() not in (Qt.Key.Key_Up, Qt.Key.Key_Down)
            or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        ):
            return False
        if self.document().characterCount() > self.history.longest + 1 or not self._is_at_edge(event.key()):
            return False
        is_up = event.key() == Qt.Key.Key_Up
        text = self.toPlainText()
        other = self.history.step_back(text) if is_up else self.history.step_on(text)
        if other is not None:
            self.replace_text(other)
        return other is not None

    def _is_at_edge(self, key: int) -> bool:
        """Whether no line is above the cursor, or below it."""
        cursor = self.textCursor()
        block = cursor.block()
        line = block.layout().lineForTextPosition(cursor.positionInBlock()).lineNumber()
        if key == Qt.Key.Key_Up:
            return not block.previous().isValid() and line <= 0
        return not block.next().isValid() and line >= block.layout().lineCount() - 1

    def _choose_placeholder(self) -> None:
        metrics, room = QFontMetricsF(self.font()), self.viewport().width() - 4
        fitting = [words for words in self._placeholders if metrics.horizontalAdvance(words) <= room]
        words = (fitting or self._placeholders[-1:] or ("",))[0]
        if words != self.placeholderText():
            self.setPlaceholderText(words)

    def _fit(self) -> None:
        height = min(self._most_height, self._wanted_height())
        is_full = height >= self._most_height
        on, off = Qt.ScrollBarPolicy.ScrollBarAsNeeded, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(on if is_full else off)
        if height != self._height:
            self._height = height
            self.setFixedHeight(height)

    def _wanted_height(self) -> int:
        if self.blockCount() > MAX_MEASURED:
            return self._most_height
        # QPlainTextDocumentLayout gives its size in lines.
        lines = max(1, round(self.document().size().height()))
        return round(lines * max(QFontMetricsF(self.font()).lineSpacing(), 1)) + 6


def is_undo(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo)


def local_files(source: QMimeData) -> list[Path]:
    """The files that a drop or paste names; none where it names anything else too."""
    urls = source.urls()
    return [Path(url.toLocalFile()) for url in urls] if urls and all(url.isLocalFile() for url in urls) else []
