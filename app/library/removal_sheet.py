"""RemovalSheet: asks before a model's files are deleted."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.library.removal import Removal
from app.settings.form import make_button
from app.theme.labels import StartLabel

WIDTH, SIDE = 460, 24
BREAK = "\u200b"  # lets a long path break behind each of its folders


class RemovalSheet(QDialog):
    """Modal to its window; it is accepted to delete."""

    def __init__(self, removal: Removal, parent: QWidget) -> None:
        super().__init__(parent)
        name = f"{removal.model.name} {removal.model.quantisation}".strip()
        self.setWindowTitle("Delete a model")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.question = StartLabel(f"Delete {name}?", "heading", "title")
        self.place = StartLabel(removal.place.replace("/", f"/{BREAK}"), "code", "secondary")
        self.fate = StartLabel(removal.sentence, "interface", "secondary")
        words = "Move to the trash" if removal.goes_to_trash else "Delete"
        self.keep = make_button("Keep it", self.reject, name=f"Keep {name}")
        self.delete_button = make_button(words, self.accept, name=f"{words}: {name}")
        self.keep.setDefault(True)
        self._lay_out()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.keep)
        buttons.addWidget(self.delete_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SIDE, 20, SIDE, 20)
        column.setSpacing(8)
        for label in (self.question, self.place, self.fate):
            column.addWidget(label)
        column.addSpacing(12)
        column.addLayout(buttons)
        self.setFixedWidth(WIDTH)
