"""QuitSheet: asks whether to quit while replies run."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.figures import in_words
from app.theme.fonts import font
from app.theme.labels import make_label

WIDTH, SIDE = 440, 24


def question_of(num_running: int) -> tuple[str, str]:
    """What runs, and what becomes of it."""
    if num_running == 1:
        return "One reply is running.", "What it has written is saved and can be continued."
    return (
        f"{in_words(num_running).capitalize()} replies are running.",
        "What they have written is saved and can be continued.",
    )


class QuitSheet(QDialog):
    """Modal to its window; it is accepted to quit."""

    def __init__(self, num_running: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Quit Slipstream")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        found, fate = question_of(num_running)
        stay, leave = self._make_button("Stay"), self._make_button("Quit")
        stay.clicked.connect(self.reject)
        leave.clicked.connect(self.accept)
        stay.setDefault(True)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (stay, leave):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SIDE, 20, SIDE, 20)
        column.setSpacing(8)
        column.addWidget(make_label(found, "heading", "title", self))
        column.addWidget(make_label(fate, "interface", "secondary", self, wraps=True))
        column.addSpacing(12)
        column.addLayout(buttons)
        self.setFixedWidth(WIDTH)

    def _make_button(self, words: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setProperty("kind", "plain")
        button.setFont(font("interface-medium"))
        button.setAccessibleName("Quit, and keep what is written" if words == "Quit" else "Stay, and let replies go on")
        return button
