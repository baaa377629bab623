"""WelcomePage: the first page: what this program does, and which model answers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QPixmap, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.library.found_model import FoundModel
from app.models.chooser import ModelChooser
from app.system.hardware import machine_words
from app.system.machine import PLACE
from app.theme.fonts import font
from app.theme.labels import StartLabel
from app.theme.symbols import app_pixmap
from app.theme.theme import Theme
from app.welcome.answer_card import AnswerCard
from app.welcome.answers import answers_of

TITLE = f"Ask something. It answers from {PLACE}."
STORY = (
    "A small drafter runs ahead of the model and guesses the next words; the model checks them and keeps those that "
    "it would have written itself. The text stays the same, and you see how much time it saves."
)
MACHINE = "{}. Nothing is downloaded unless you ask."
PROMISE = "No account, no telemetry, no open port."
GAP = 8  # px under the picture and each text
AROUND = 3 * GAP + 16 + 10 + 8 + 16  # px that no part takes
ICON, ICON_MARGIN = 76, 9  # px; icon.svg keeps the system's margin, which would indent it


class WelcomePage(QWidget):
    find_asked = Signal()  # another model

    def __init__(self, theme: Theme, chooser: ModelChooser, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chooser = chooser
        self._models: Sequence[FoundModel] = ()
        self._has_none = False
        self._height = 0  # that it may have
        self._icon = QLabel(self)
        self._icon.setPixmap(self._trimmed_icon())
        self._icon.setContentsMargins(0, 0, 0, 12)
        self._title = StartLabel(TITLE, "first-title", "title")
        self._story = StartLabel(STORY, "reply", "secondary")
        self._caption = StartLabel("Answer with", "heading", "title", wraps=False)
        self._machine = StartLabel(
            f"{machine_words()}. Nothing is downloaded unless you ask.", "small", "secondary", wraps=False
        )
        self.card = AnswerCard(theme, self)
        self.find_button = QPushButton("Find another model…", self)
        self.find_button.setProperty("kind", "link")
        self.find_button.setFont(font("interface-medium"))
        self.find_button.setAccessibleName("Find another model")
        self._promise = StartLabel(PROMISE, "interface", "caption", wraps=False)
        self._lay_out()
        self.card.chosen.connect(chooser.choose)
        self.find_button.clicked.connect(self.find_asked)
        chooser.changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._head.addWidget(self._caption)
        self._head.addStretch(1)
        self._head.addWidget(self._machine)
        foot = QHBoxLayout()
        foot.addWidget(self.find_button)
        foot.addStretch(1)
        foot.addWidget(self._promise)
        column = QVBoxLayout(self)
        column.setSpacing(0)
        column.setContentsMargins(0, 0, 0, 0)
        for label in (self._icon, self._title, self._story):
            column.addWidget(label)
            column.addSpacing(GAP)
        column.addSpacing(16)
        column.addLayout(self._head)
        column.addSpacing(10)
        column.addWidget(self.card)
        column.addSpacing(8)
        column.addLayout(foot)

    def _trimmed_icon(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        whole = app_pixmap(ICON + 2 * ICON_MARGIN, ratio)
        start, size = round(ICON_MARGIN * ratio), round(ICON * ratio)
        return whole.copy(start, start, size, size)

    def show_models(self, models: Sequence[FoundModel], *, has_none: bool = False, can_find: bool = False) -> None:
        """Offer these too, which are on this computer; where there is none at all, nothing is to be chosen."""
        self._models, self._has_none = models, has_none
        for widget in (self._caption, self._machine, self.card):
            widget.setVisible(not has_none)
        self.find_button.setVisible(can_find and not has_none)
        self.refresh()

    def refresh(self) -> None:
        self.card.show_answers(answers_of(self._chooser, self._models))
        self.make_room(self._height)

    def make_room(self, height: int) -> None:
        """In a low window the picture goes first, then the story, the machine, and models from the last on."""
        self._height = height
        parts = [
            part for part in (self._icon, self._story, self._machine) if not (self._has_none and part is self._machine)
        ]
        heights = {part: _height_of(part, self.width()) for part in parts}
        num_rows = 0 if self._has_none else len(self.card.rows)
        row = self.card.rows[0].sizeHint().height() if self.card.rows else 0
        fixed = _height_of(self._title, self.width()) + self._caption.sizeHint().height() + AROUND
        needed = fixed + self.find_button.sizeHint().height() + num_rows * row + sum(heights.values())
        for part in (self._icon, self._story, self._machine):
            leaves = needed > height
            part.setVisible(part in heights and not leaves)
            needed -= heights.get(part, 0) if leaves else 0
        num_leaving = max(0, -(-(needed - height) // row)) if row else 0
        self.card.show_most(max(1, num_rows - num_leaving))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow one the machine stands under the caption."""
        super().resizeEvent(event)
        width = event.size().width()
        needed = self._caption.sizeHint().width() + self._machine.fontMetrics().horizontalAdvance(self._machine.text())
        is_narrow = needed + 24 > width
        direction = QBoxLayout.Direction
        self._machine.setWordWrap(is_narrow)
        self._head.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)
        self._promise.setVisible(self.find_button.sizeHint().width() + self._promise.sizeHint().width() < width)
        if width != event.oldSize().width():
            self.make_room(self._height)


def _height_of(widget: QWidget, width: int) -> int:
    return widget.heightForWidth(width) if widget.hasHeightForWidth() else widget.sizeHint().height()
