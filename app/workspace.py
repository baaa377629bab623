"""Workspace: the open tabs and their pages; a tab closed in mid-reply leaves its reply running."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.chat.session import ChatSession
from app.chat.tab import ChatTab
from app.model_status import ModelStatus
from app.open_tabs import OpenTabs, read_open_tabs, write_open_tabs
from app.tabs import TabRow
from app.tasks import start
from app.theme.pulse import Pulse
from app.theme.theme import Theme


class Workspace(QWidget):
    changed = Signal()  # tabs, their titles and marks, or which one is shown
    reply_ended = Signal()
    went_on = Signal(str)  # title of a chat whose reply goes on without its tab

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
        self._is_restoring = False
        self._saved: OpenTabs | None = None
        self._background: list[ChatSession] = []
        self._unread: set[str] = set()  # chats that ended without a tab
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
        sessions = [tab.session for tab in self.tabs] + self._background
        return [session for session in sessions if session.is_busy]

    @property
    def marks(self) -> dict[str, str]:
        """Mark of each chat that has one, by conversation id."""
        marks = dict.fromkeys(self._unread, "unread")
        marks |= {
            tab.session.conversation_id: tab.mark for tab in self.tabs if tab.session.conversation_id and tab.mark
        }
        marks |= {session.conversation_id: "running" for session in self.busy_sessions if session.conversation_id}
        return marks

    # Tabs

    async def restore(self) -> None:
        """Open the tabs of the last time; an empty one where there was none."""
        saved = read_open_tabs(self._folder)
        self._is_restoring = True
        for conversation_id in saved.conversation_ids:
            await self._open(conversation_id)
        self._is_restoring = False
        if self.tabs:
            self.row.bar.setCurrentIndex(min(saved.current, len(self.tabs) - 1))
        else:
            self.new_tab()
        self._save()

    def new_tab(self) -> ChatTab:
        """An empty chat; one that is open already is shown again."""
        for index, tab in enumerate(self.tabs):
            if tab.is_empty and not tab.session.is_busy:
                self.row.bar.setCurrentIndex(index)
                tab.composer.field.setFocus()
                return tab
        tab = self._make_tab()
        self._add(tab)
        tab.composer.field.setFocus()
        return tab

    def open_chat(self, conversation_id: str) -> None:
        for index, tab in enumerate(self.tabs):
            if tab.session.conversation_id == conversation_id:
                self.row.bar.setCurrentIndex(index)
                return
        start(self._open(conversation_id))

    async def _open(self, conversation_id: str) -> None:
        tab = self._make_tab()
        if not await tab.open(conversation_id):
            tab.session.close()
            tab.deleteLater()
            return
        self._unread.discard(conversation_id)
        empty = [index for index, other in enumerate(self.tabs) if other is self.current and other.is_untouched]
        self._add(tab)
        for index in empty:
            self.close_tab(index)
        tab.composer.field.setFocus()

    def _make_tab(self) -> ChatTab:
        tab = ChatTab(self._theme, self._pulse, self._make_session(), self._status)
        tab.empty.show_welcome(self._is_first)
        tab.state_changed.connect(self._refresh)
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
        """Close a tab; its reply, if one runs, goes on."""
        if self.tabs[index].session.is_busy:
            self._keep_running(self.tabs[index].session)
        else:
            _end(self.tabs[index].session)
        self._remove(index)

    def _remove(self, index: int) -> None:
        tab = self.tabs[index]
        self._pages.removeWidget(tab)
        self.row.bar.removeTab(index)
        tab.deleteLater()
        if not self.tabs and not self._is_restoring:
            self.new_tab()
        self._refresh()

    def _keep_running(self, session: ChatSession) -> None:
        self._background.append(session)
        session.busy_changed.connect(lambda is_busy: self._end_background(session))
        self.went_on.emit(session.title)

    def _end_background(self, session: ChatSession) -> None:
        if session.is_busy or session not in self._background:
            return
        self._background.remove(session)
        is_open = any(tab.session.conversation_id == session.conversation_id for tab in self.tabs)
        if session.conversation_id and not is_open:
            self._unread.add(session.conversation_id)
        _end(session)
        self._refresh()

    def forget(self, conversation_id: str) -> None:
        """Close what shows a chat that was deleted, or runs in it."""
        self._unread.discard(conversation_id)
        for index, tab in reversed(list(enumerate(self.tabs))):
            if tab.session.conversation_id == conversation_id:
                _end(tab.session)
                self._remove(index)
        for session in [one for one in self._background if one.conversation_id == conversation_id]:
            self._background.remove(session)
            _end(session)
        self._refresh()

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
        self._save()
        self.changed.emit()

    def _save(self) -> None:
        if self._is_restoring:
            return
        known = [tab.session.conversation_id for tab in self.tabs]
        ids = tuple(name for name in known if name)
        current = self.current.session.conversation_id if self.current else None
        tabs = OpenTabs(ids, ids.index(current) if current in ids else 0)
        if tabs != self._saved:
            self._saved = tabs
            write_open_tabs(self._folder, tabs)


def _end(session: ChatSession) -> None:
    session.close()
    session.deleteLater()
