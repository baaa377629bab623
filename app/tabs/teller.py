"""Teller: sentences above the composers, kept while there is none yet."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.chat.notes import Action
from app.chat.session import ChatSession
from app.tabs.workspace import Workspace


class Teller(QObject):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._troubles: list[str] = []  # that came before there was a tab
        self._words: list[str] = []  # the same, and no trouble
        self._has_said_going_on = False

    @property
    def _is_ready(self) -> bool:
        return self._workspace.chat_in_reach is not None and not self._workspace.is_restoring

    def say(self, sentence: str, action: Action | None = None, deed: Callable[[], None] | None = None) -> None:
        """Say what is no trouble above the composer, with something that can be done about it."""
        tab = self._workspace.chat_in_reach
        if tab is not None and self._is_ready:
            tab.say(sentence, action, deed)
        else:
            self._words.append(sentence)

    def unsay(self, sentence: str) -> None:
        """It is past."""
        for waiting in (self._words, self._troubles):
            if sentence in waiting:
                waiting.remove(sentence)
        for tab in self._workspace.tabs:
            tab.unsay(sentence)

    def show_trouble(self, sentence: str) -> None:
        """Say it above the composer; before there is one, as soon as there is."""
        tab = self._workspace.chat_in_reach
        if tab is not None and self._is_ready:
            tab.show_trouble(sentence)
        else:
            self._troubles.append(sentence)

    def tell_everywhere(self, sentence: str) -> None:
        if self._is_ready:
            self._workspace.alike.tell(sentence)
        else:
            self._troubles.append(sentence)

    def say_going_on(self, session: ChatSession, waits: bool) -> None:
        """Once, and until it ends: where to find a reply whose tab was closed; each time a message waited for its end,
        which is sent by hand from its tab alone."""
        if (waits or not self._has_said_going_on) and self._workspace.chat_in_reach is not None:
            self._has_said_going_on = True
            words = f"The reply in “{session.title}” goes on. It is in the sidebar."
            words += " What waited to be sent is kept there, and not sent." if waits else ""
            session.busy_changed.connect(lambda is_busy: self.unsay(words))
            self.say(words)

    def say_what_waits(self) -> None:
        """Called when the tabs are there."""
        if self._troubles:
            self._workspace.alike.tell(" ".join([*self._troubles, *self._words]))
        elif self._words:
            self.say(" ".join(self._words))
        self._troubles.clear()
        self._words.clear()
