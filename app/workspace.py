"""Workspace: the open tabs and their pages; a tab closed in mid-reply leaves its reply running."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.background import Background, end_session
from app.chat.session import ChatSession
from app.chat.tab import ChatTab
from app.model_status import ModelStatus
from app.open_tabs import OpenTabs, read_open_tabs, write_open_tabs
from app.tabs import TabRow
from app.tasks import start
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from app.unsent import Unsent

DRAFT_MILLISECONDS = 1000


class Workspace(QWidget):
    changed = Signal()  # tabs, their titles and marks, or which one is shown
    reply_ended = Signal()
    went_on = Signal(str)  # title of a chat whose reply goes on without its tab
    trouble = Signal(str)  # a sentence about a chat that has no tab

    def __init__(
        self,
        theme: Theme,
        pulse: Pulse,
        status: ModelStatus,
        make_session: Callable[[], ChatSession],
        folder: Path,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pulse = pulse
        self._status = status
        self._make_session = make_session
        self._folder = folder
        self._is_first = False
        self.is_restoring = False
        self._saved: OpenTabs | None = None
        self._opening: set[str] = set()  # chats that are being read
        self._put_away: dict[str, bool] = {}  # deleted chats that may be had back, and whether each had a tab
        self._unsent = Unsent()
        self._background = Background(self._unsent, self._is_known, self)
        self._background.changed.connect(self._refresh)
        self._draft_timer = QTimer(self)
        self._draft_timer.setSingleShot(True)
        self._draft_timer.setInterval(DRAFT_MILLISECONDS)
        self._draft_timer.timeout.connect(self.save)
        self.row = TabRow(theme, pulse, self)
        self._pages = QStackedWidget(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.row)
        column.addWidget(self._pages, 1)
        self.row.bar.currentChanged.connect(self._show)
        self.row.bar.close_asked.connect(self.close_tab)
        self.row.new_button.clicked.connect(self.new_tab)

    # Reading

    @property
    def tabs(self) -> list[ChatTab]:
        pages = (self._pages.widget(index) for index in range(self._pages.count()))
        return [page for page in pages if isinstance(page, ChatTab)]

    @property
    def current(self) -> ChatTab | None:
        page = self._pages.currentWidget()
        return page if isinstance(page, ChatTab) else None

    @property
    def busy_sessions(self) -> list[ChatSession]:
        """One session for each running reply; a chat opened again has one in its tab and one that goes on."""
        opened = [tab.session for tab in self.tabs]
        shown = {session.conversation_id for session in opened}
        hidden = [session for session in self._background.sessions if session.conversation_id not in shown]
        return [session for session in opened + hidden if session.is_busy]

    @property
    def marks(self) -> dict[str, str]:
        """Mark of each chat that has one, by conversation id."""
        marks = dict.fromkeys(self._background.unread, "unread")
        marks |= {
            tab.session.conversation_id: tab.mark for tab in self.tabs if tab.session.conversation_id and tab.mark
        }
        marks |= {session.conversation_id: "running" for session in self.busy_sessions if session.conversation_id}
        return marks

    # Tabs

    async def restore(self) -> None:
        """Open the tabs of the last time; an empty one where there was none."""
        saved = read_open_tabs(self._folder)
        self._unsent.restore(saved.drafts)
        self.is_restoring = True
        for conversation_id in saved.conversation_ids:
            await asyncio.wait([start(self._open(conversation_id))])
        self.is_restoring = False
        num_restored = len(self.tabs)
        if self._unsent.has(None) or not num_restored:
            self.new_tab()
        if num_restored:
            self.row.bar.setCurrentIndex(min(saved.current, num_restored - 1))
        self.save()

    def new_tab(self) -> ChatTab:
        """An empty chat; one that is open already is shown again."""
        for index, tab in enumerate(self.tabs):
            if tab.is_empty and not tab.session.is_busy:
                self.row.bar.setCurrentIndex(index)
                self._give_draft(tab)
                tab.composer.field.setFocus()
                return tab
        tab = self._make_tab()
        self._add(tab)
        self._give_draft(tab)
        tab.composer.field.setFocus()
        return tab

    def open_chat(self, conversation_id: str) -> None:
        if (tab := self._tab_of(conversation_id)) is not None:
            self.row.bar.setCurrentIndex(self.tabs.index(tab))
        elif conversation_id not in self._opening:
            self._opening.add(conversation_id)  # here, as the task begins later than the next click may come
            start(self._open(conversation_id))

    def _is_known(self, conversation_id: str) -> bool:
        """Whether the end of a reply needs no mark: the chat is open, or deleted."""
        return self._tab_of(conversation_id) is not None or conversation_id in self._put_away

    def _tab_of(self, conversation_id: str) -> ChatTab | None:
        return next((tab for tab in self.tabs if tab.session.conversation_id == conversation_id), None)

    async def _open(self, conversation_id: str) -> None:
        tab, troubles = self._make_tab(), list[str]()
        tab.session.trouble.connect(troubles.append)
        is_open = False
        try:
            is_open = await tab.open(conversation_id) and conversation_id not in self._put_away
        finally:
            self._opening.discard(conversation_id)
            if not is_open:
                self._discard(tab)
                end_session(tab.session)
        if is_open:
            self._take_opened(tab, conversation_id)
        elif troubles:
            self.trouble.emit(" ".join(troubles))

    def _take_opened(self, tab: ChatTab, conversation_id: str) -> None:
        self._background.unread.discard(conversation_id)
        empty = [index for index, other in enumerate(self.tabs) if other is self.current and other.is_untouched]
        self._add(tab)
        for index in empty:
            self.close_tab(index)
        self._give_draft(tab)
        tab.composer.field.setFocus()

    def _make_tab(self) -> ChatTab:
        tab = ChatTab(self._theme, self._pulse, self._make_session(), self._status)
        tab.empty.show_welcome(self._is_first)
        tab.state_changed.connect(self._refresh)
        tab.draft_changed.connect(self._draft_timer.start)
        tab.model_wanted.connect(self._status.load)
        tab.session.busy_changed.connect(lambda is_busy: None if is_busy else self.reply_ended.emit())
        return tab

    def _add(self, tab: ChatTab) -> None:
        self._pages.addWidget(tab)
        tab.place_in_focus_order(self.row.menu_button)
        index = self.row.bar.addTab(tab.title)
        self.row.bar.set_tab(index, tab.title, tab.mark)
        self.row.bar.setCurrentIndex(index)
        self._show(index)

    def close_tab(self, index: int) -> None:
        """Close a tab; its reply, if one runs, goes on, and what was not sent waits for the chat to be opened again."""
        self._unsent.keep(self.tabs[index].session.conversation_id, self.tabs[index].composer.unsent())
        session = self.tabs[index].session
        goes_on = session.is_busy
        if goes_on:
            self._background.keep(session)
        else:
            end_session(session)
        self._remove(index)
        if goes_on and session.conversation_id not in self._put_away:
            self.went_on.emit(session.title)  # now that the tab which shows it is not the one that was closed
        if self.current is not None and not self.is_restoring:
            self.current.composer.field.setFocus()

    def _remove(self, index: int) -> None:
        tab = self.tabs[index]
        self._pages.removeWidget(tab)
        self.row.bar.removeTab(index)
        self._discard(tab)
        if not self.tabs and not self.is_restoring:
            self.new_tab()
        self._refresh()

    def _discard(self, tab: ChatTab) -> None:
        tab.detach()
        tab.deleteLater()

    def put_away(self, conversation_id: str) -> None:
        """Close what shows a chat that is deleted, and stop what runs in it; it may be had back."""
        tab = self._tab_of(conversation_id)
        self._put_away[conversation_id] = tab is not None
        running = [one for one in self._background.sessions if one.conversation_id == conversation_id]
        for session in [*running, *([tab.session] if tab else [])]:
            session.stop()
        if tab is not None:
            self.close_tab(self.tabs.index(tab))
        self._refresh()

    def bring_back(self, conversation_id: str) -> None:
        """Open a chat that was put away, if it was open then."""
        if self._put_away.pop(conversation_id, False):
            self.open_chat(conversation_id)

    def forget(self, conversation_id: str) -> None:
        """Let go of a chat that is gone, and of what was written for it."""
        self._put_away.pop(conversation_id, None)
        if (tab := self._tab_of(conversation_id)) is not None:
            end_session(tab.session)
            self._remove(self.tabs.index(tab))
        self._background.forget(conversation_id)
        self._unsent.take(conversation_id)
        self._refresh()

    def tell(self, sentence: str) -> None:
        """Show a sentence above every composer."""
        for tab in self.tabs:
            tab.show_trouble(sentence)

    def step(self, places: int) -> None:
        count = self.row.bar.count()
        if count:
            self.row.bar.setCurrentIndex((self.row.bar.currentIndex() + places) % count)

    def show_welcome(self, is_first: bool) -> None:
        """Whether empty tabs greet: only before the first chat."""
        self._is_first = is_first
        for tab in self.tabs:
            tab.empty.show_welcome(is_first)

    def _show(self, index: int) -> None:
        if 0 <= index < self._pages.count():
            self._pages.setCurrentIndex(index)
        self.row.refit()
        self._refresh()

    def _refresh(self) -> None:
        for index, tab in enumerate(self.tabs):
            if index < self.row.bar.count():
                self.row.bar.set_tab(index, tab.title, tab.mark)
        self.row.refit()
        self.save()
        self.changed.emit()

    # What is kept for the next start

    def hold(self) -> None:
        """Send nothing more by itself: what waits for a reply stays with its writer."""
        for tab in self.tabs:
            tab.composer.hold()
        self.save()
        self._draft_timer.stop()

    def _give_draft(self, tab: ChatTab) -> None:
        tab.composer.restore(self._unsent.take(tab.session.conversation_id))

    def save(self) -> None:
        """Note which tabs are open, and every message that was not sent."""
        if self.is_restoring:
            return
        known = [tab.session.conversation_id for tab in self.tabs]
        ids = tuple(name for name in known if name)
        current = self.current.session.conversation_id if self.current else None
        drafts = self._unsent.together_with((tab.session.conversation_id, tab.composer.unsent()) for tab in self.tabs)
        tabs = OpenTabs(ids, ids.index(current) if current in ids else 0, drafts)
        if tabs != self._saved:
            self._saved = tabs
            write_open_tabs(self._folder, tabs)
