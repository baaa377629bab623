"""TabKeeper: which tabs are open and what was not sent, kept for the next start and for chats opened again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.chat.tab import ChatTab
from app.conversations.records import NO_CHOICES
from app.tabs.open_tabs import OpenTabs, read_open_tabs, write_open_tabs
from app.tabs.unsent import Unsent

DRAFT_MILLISECONDS = 1000


class TabKeeper(QObject):
    due = Signal()  # what is written in a composer has come to rest

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.unsent = Unsent()
        self._folder = folder
        self._saved: OpenTabs | None = None
        self._shown = ""  # id of the chat that was shown last
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DRAFT_MILLISECONDS)
        self._timer.timeout.connect(self.due)

    def read(self) -> OpenTabs:
        """The tabs of the last time; what was not sent then waits to be taken."""
        saved = read_open_tabs(self._folder)
        self.unsent.restore(saved.drafts, saved.branches, saved.choices)
        return saved

    @property
    def has_new_chat(self) -> bool:
        """Whether something was written or chosen for a chat that was never saved."""
        return self.unsent.has(None) or self.unsent.choices != NO_CHOICES

    def save_soon(self) -> None:
        self._timer.start()

    def save(self, tabs: Iterable[ChatTab], current: ChatTab | None) -> None:
        self._timer.stop()
        tabs = tuple(tabs)
        ids = tuple(name for tab in tabs if (name := tab.session.conversation_id))
        self._shown = (current.session.conversation_id if current else None) or self._shown
        drafts = self.unsent.together_with((tab.session.conversation_id, tab.composer.unsent()) for tab in tabs)
        branches = self.unsent.branches_with((tab.session.conversation_id, tab.session.branches_from) for tab in tabs)
        choices = next((tab.session.choices for tab in tabs if tab.is_new), self.unsent.choices)
        kept = OpenTabs(ids, ids.index(self._shown) if self._shown in ids else 0, drafts, branches, choices)
        if kept != self._saved:
            self._saved = kept
            write_open_tabs(self._folder, kept)

    def keep_unsent(self, tab: ChatTab) -> None:
        """Keep what a tab that closes has not sent, and where it would begin a branch.

        What was chosen for a chat that is not saved is kept with what was written for it.
        """
        self.unsent.keep(tab.session.conversation_id, tab.composer.unsent())
        self.unsent.keep_branch(tab.session.conversation_id, tab.session.branches_from)
        if tab.is_new and tab.composer.unsent():
            self.unsent.choices = tab.session.choices

    def give_unsent(self, tab: ChatTab) -> None:
        if tab.is_new and self.unsent.choices != NO_CHOICES:
            tab.session.take_choices(self.unsent.take_choices())
        tab.composer.restore(self.unsent.take(tab.session.conversation_id))
        tab.session.return_to_branch(self.unsent.take_branch(tab.session.conversation_id))
