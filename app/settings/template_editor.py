"""TemplateEditor: the text of a chat template, with the line that has a fault marked."""

from __future__ import annotations

import re

from PySide6.QtGui import QColor, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from app.theme.fonts import font
from app.theme.theme import Theme

_LINE = re.compile(r"\bline (\d+)", re.IGNORECASE)


class TemplateEditor(QPlainTextEdit):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._fault = 0  # line, counted from 1; 0 for none
        self.setProperty("kind", "field")
        self.setFont(font("code"))
        self.setAccessibleName("Template")
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        theme.tokens_changed.connect(self._mark)

    def show_text(self, text: str) -> None:
        if text != self.toPlainText():
            self.setPlainText(text)
        self.mark_fault("")

    def mark_fault(self, sentence: str) -> None:
        """Mark the line that a sentence names, or none."""
        found = _LINE.search(sentence)
        self._fault = int(found[1]) if found else 0
        self._mark()

    def _mark(self) -> None:
        block = self.document().findBlockByNumber(self._fault - 1) if self._fault else None
        if block is None or not block.isValid():
            self.setExtraSelections([])
            return
        selection = QTextEdit.ExtraSelection()
        selection.cursor = QTextCursor(block)
        selection.format.setBackground(QColor(self._theme.tokens.alert_soft))
        selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        self.setExtraSelections([selection])
