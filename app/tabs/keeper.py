"""TabKeeper: which tabs are open and what was not sent, kept for the next start and for chats opened again."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.chat.tab import ChatTab
from app.conversations.records import NO_CHOICES
from app.tabs.open_tabs import OpenTab, OpenTabs, read_open_tabs, write_open_tabs
from app.tabs.unsent import Unsent

DRAFT_MILLISECONDS = 1000


class TabKeeper(QObject):
    """`lasting` has the symbols of the pages that come back, beside chats."""

    due = Signal()  # what is written in a composer has come to rest

    def __init__(self, folder: Path, lasting: Container[str] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.unsent = Unsent()
        self._folder = folder
        self._lasting = lasting
        self._saved: OpenTabs | None = None
        self._shown = OpenTab()  # that was in front last, of those that come back
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

    def save(self, pages: Sequence[QWidget], current: QWidget | None, marks: Mapping[str, str]) -> None:
        """`marks` are those of chats as the window shows them: a reply that runs may end with the program, unseen."""
        self._timer.stop()
        tabs = [page for page in pages if isinstance(page, ChatTab)]
        kept_tabs = tuple(found for page in pages if (found := self._kept_tab(page)))
        self._shown = (self._kept_tab(current) if current is not None else None) or self._shown
        drafts = self.unsent.together_with((tab.session.conversation_id, tab.composer.unsent()) for tab in tabs)
        branches = self.unsent.branches_with((tab.session.conversation_id, tab.session.branches_from) for tab in tabs)
        choices = next((tab.session.choices for tab in tabs if is_begun(tab)), self.unsent.choices)
        unseen = {name: "failed" if mark == "failed" else "unread" for name, mark in marks.items()}
        place = kept_tabs.index(self._shown) if self._shown in kept_tabs else 0
        kept = OpenTabs(kept_tabs, place, drafts, branches, choices, unseen)
        if kept != self._saved:
            self._saved = kept
            write_open_tabs(self._folder, kept)

    def _kept_tab(self, page: QWidget) -> OpenTab | None:
        """None for what does not come back."""
        if not isinstance(page, ChatTab):
            return OpenTab(page=page.objectName()) if page.objectName() in self._lasting else None
        name = page.session.conversation_id
        return OpenTab(name) if name else OpenTab() if is_begun(page) else None

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


def is_begun(tab: ChatTab) -> bool:
    """Whether something was written or chosen for a chat that is not saved."""
    return tab.is_new and not tab.is_untouched
