"""EmptyPage: what an empty chat shows: the welcome at the first start, afterwards only what will answer."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.chat.empty_choices import EmptyChoices
from app.chat.session import ChatSession
from app.models.chooser import ModelChooser
from app.theme.theme import Theme
from app.welcome.page import WelcomePage

COLUMN = 720


class EmptyPage(QWidget):
    def __init__(
        self, theme: Theme, chooser: ModelChooser, session: ChatSession, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._chooser = chooser
        self._is_first = False  # before the first message
        self._is_asked = False
        self.welcome = WelcomePage(theme, chooser, self)
        self.choices = EmptyChoices(theme, session, self)
        self._lay_out()
        chooser.changed.connect(self._refresh)
        self._show()
        self._refresh()

    def _lay_out(self) -> None:
        inner = QVBoxLayout()
        inner.setSpacing(0)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addStretch(3)
        inner.addWidget(self.welcome)
        inner.addWidget(self.choices)
        inner.addStretch(4)
        holder = QWidget(self)
        holder.setLayout(inner)
        holder.setMaximumWidth(COLUMN)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(20, 0, 20, 0)
        outer.addStretch(1)
        outer.addWidget(holder, 1000)
        outer.addStretch(1)

    @property
    def is_welcoming(self) -> bool:
        return self._is_first or self._is_asked

    def show_welcome(self, is_first: bool) -> None:
        """Before the first message of all it greets."""
        self._is_first = is_first
        self._show()

    def greet(self) -> None:
        """Show the welcome in this chat, whatever was sent before."""
        self._is_asked = True
        self._show()

    def _show(self) -> None:
        self.welcome.setVisible(self.is_welcoming)
        self.choices.setVisible(not self.is_welcoming)
        self.welcome.make_room(self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.welcome.make_room(self.height())

    def _refresh(self) -> None:
        self.choices.show_model(self._chooser.words or f"{self._chooser.name} {self._chooser.quantisation}".rstrip())
