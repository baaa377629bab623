"""ReportWindow: the text of a report, to be read, copied and saved."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.file_dialogs import SaveDialog
from app.settings.form import make_button
from app.shown_paths import write_place
from app.tasks import failures, start
from app.theme.fonts import font
from app.theme.labels import StartLabel

SIZE, SIDE = (760, 600), 20
ENDINGS = {"Text (*.txt)": ("txt",)}
COPIED = "Copied."


class ReportWindow(QDialog):
    """Goes when it is closed; Esc closes it."""

    def __init__(self, text: str, name: str, parent: QWidget | None = None) -> None:
        """`name` is the one that a saved file begins with."""
        super().__init__(parent)
        self._name = name
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Report")
        self.text = QPlainTextEdit(text, self)
        self.text.setProperty("kind", "card")
        self.text.setFont(font("code"))
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName("Text of the report")
        self.told: QLabel = StartLabel("", "interface", "secondary")
        self.copy_button = make_button("Copy", self._copy, name="Copy the report")
        self.save_button = make_button("Save…", self._ask_where, name="Save the report")
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.told, 1)
        line.addWidget(self.copy_button)
        line.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SIDE, SIDE, SIDE, 16)
        column.setSpacing(12)
        column.addWidget(self.text)
        column.addLayout(line)
        self.resize(*SIZE)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.told.setText(COPIED)

    def _ask_where(self) -> None:
        dialog = SaveDialog(self, "Save the report", self._name, ENDINGS)
        dialog.fileSelected.connect(lambda name: start(self.save(dialog.chosen_path(name)), saves=True))
        dialog.open()

    async def save(self, path: Path) -> None:
        """Write it off this thread, and say what came of it."""
        try:
            await asyncio.to_thread(path.write_text, self.text.toPlainText(), encoding="utf-8")
        except OSError as error:
            reason = error.strerror or "it could not be written"
            self._tell(f"{path.name} was not saved: {reason}. Choose another folder.")
        else:
            self._tell(f"Saved as {write_place(path)}.")

    def _tell(self, words: str) -> None:
        if isValid(self):
            self.told.setText(words)
        else:
            failures.happened.emit(words)
