"""Workspace: the open tabs and their pages, chats and others; a chat closed in mid-reply lets its reply go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.chat.session import ChatSession
from app.chat.tab import ChatTab
from app.chat.tab_find import find_in
from app.frame.focus_place import FocusPlace
from app.frame.page_stack import PageStack
from app.models.chooser import ModelChooser
from app.tabs.alike import TabsAlike
from app.tabs.background import Background, end_session
from app.tabs.keeper import TabKeeper
from app.tabs.last_time import bring_back, mark_unseen
from app.tasks import start
from app.theme.pulse import Pulse
from app.theme.theme import Theme

NUM_CLOSED = 20  # tabs that can be opened again


class Workspace(PageStack):
    changed = Signal()  # tabs, their titles and marks, or which one is shown
    used = Signal()  # a chat: a reply in it has begun or ended
    went_on = Signal(object, bool)  # ChatSession whose reply goes on without its tab, and whether a message waited
    trouble = Signal(str)  # a sentence about a chat that has no tab
    reply_in_view_changed = Signal()
    messages_gone = Signal(str)  # conversation id, of which messages were deleted for good
    tint_asked = Signal()  # tint drafted text, or do no longer
    disk_full = Signal()  # found by a chat, which says itself what was not saved

    def __init__(
        self,
        theme: Theme,
        pulse: Pulse,
        chooser: ModelChooser,
        make_session: Callable[[], ChatSession],
        folder: Path,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, pulse, parent)
        self._theme = theme
        self._pulse = pulse
        self._chooser = chooser
        self._make_session = make_session
        self.alike = TabsAlike(lambda: self.tabs)
        self.is_restoring = False
        self._opening: set[str] = set()  # chats that are being read
        self._put_away: dict[str, bool] = {}  # deleted chats that may be had back, and whether each had a tab
        self._closed: list[str] = []  # chats whose tabs were closed, the latest last
        self._last_chat: ChatTab | None = None  # that was shown
        self._keeper = TabKeeper(folder, self.lasting, self)
        self._keeper.due.connect(self.save)
        self._background = Background(self._keeper.unsent, self._is_known, self)
        self._background.changed.connect(self._refresh)
        self.page_shown.connect(self._take_shown)
        self.row.bar.close_asked.connect(self.close_tab)
        self.row.new_button.clicked.connect(self.new_tab)

    # Reading

    @property
    def chat_in_reach(self) -> ChatTab | None:
        """The chat that is shown, or was last: what has to be said is said there."""
        return self.current or (self._last_chat if self._last_chat in self.tabs else next(iter(self.tabs), None))

    @property
    def busy_sessions(self) -> list[ChatSession]:
        """One session for each running reply; a chat opened again has one in its tab and one that goes on."""
        opened = [tab.session for tab in self.tabs]
        shown = {session.conversation_id for session in opened if session.conversation_id}
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

    async def restore(self, *, reopens: bool = True) -> None:
        """Open the tabs of the last time; an empty one where there was none, or where none is to be opened."""
        saved = self._keeper.read()
        self._background.unread |= set(saved.marks)
        self.is_restoring = True
        in_front = await bring_back(self, saved, self._open) if reopens else None
        self.is_restoring = False
        if self._keeper.has_new_chat or not self.tabs:
            self.new_tab()
        if in_front is not None:
            self.raise_page(in_front)
        mark_unseen(self, saved.marks)
        self._refresh()

    def new_tab(self) -> ChatTab:
        """An empty chat; one that is open already is shown again."""
        tab = next((tab for tab in self.tabs if tab.is_empty and not tab.session.is_busy), None)
        if tab is None:
            tab = self._make_tab()
            self._add(tab)
        tab.session.folder = ""
        self.raise_page(tab)
        self._keeper.give_unsent(tab)
        tab.composer.field.setFocus()
        return tab

    def new_tab_in(self, folder: str) -> None:
        """An empty chat that goes to a folder with its first message."""
        self.new_tab().session.folder = folder

    def open_chat(self, conversation_id: str, message_id: str = "", words: str = "") -> None:
        """Show a chat, and of it a message where one is named, at the words that were found in it."""
        if (tab := self.tab_of(conversation_id)) is not None:
            self.raise_page(tab)
            self.focus_page()
            start(self._show_message(tab, message_id, words))
        elif conversation_id not in self._opening:
            self._opening.add(conversation_id)  # here, as the task begins later than the next click may come
            start(self._open(conversation_id, message_id, words))

    @property
    def can_reopen(self) -> bool:
        return any(self.tab_of(one) is None and one not in self._put_away for one in self._closed)

    def reopen_tab(self) -> None:
        """Open the chat again whose tab was closed last."""
        while self._closed:
            conversation_id = self._closed.pop()
            if self.tab_of(conversation_id) is None and conversation_id not in self._put_away:
                self.open_chat(conversation_id)
                return

    def _is_known(self, conversation_id: str) -> bool:
        """Whether the end of a reply needs no mark: the chat is open, or deleted."""
        return self.tab_of(conversation_id) is not None or conversation_id in self._put_away

    def tab_of(self, conversation_id: str) -> ChatTab | None:
        return next((tab for tab in self.tabs if tab.session.conversation_id == conversation_id), None)

    async def _open(self, conversation_id: str, message_id: str = "", words: str = "") -> None:
        place = FocusPlace(self)  # here rather than in `open_chat`: a sidebar that lies over the chat goes first
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
            self._take_opened(tab, conversation_id, place)
            await self._show_message(tab, message_id, words)
        elif troubles:
            self.trouble.emit(" ".join(troubles))

    def _take_opened(self, tab: ChatTab, conversation_id: str, place: FocusPlace) -> None:
        """Show it, in place of an empty chat; beside what is shown where its reader went elsewhere meanwhile."""
        is_awaited = place.is_kept
        tab.is_unread = not is_awaited and conversation_id in self._background.unread
        self._background.unread.discard(conversation_id)
        empty = [other for other in self.tabs if other is self.current and other.is_untouched and is_awaited]
        self._add(tab, is_raised=is_awaited or self.is_restoring)
        for other in empty:
            self._close_chat(other)
        self._keeper.give_unsent(tab)
        if is_awaited:
            tab.composer.field.setFocus()

    def _make_tab(self) -> ChatTab:
        tab = ChatTab(self._theme, self._pulse, self._make_session(), self._chooser)
        tab.state_changed.connect(self._refresh)
        tab.draft_changed.connect(self._keeper.save_soon)
        tab.transcript.reply_in_view_changed.connect(lambda message_id: self.reply_in_view_changed.emit())
        tab.actions_on_messages.tint_asked.connect(self.tint_asked)
        tab.session.messages_gone.connect(self.messages_gone)
        self.alike.take(tab)
        tab.session.disk_full.connect(self.disk_full)
        tab.session.choices_changed.connect(self.save)
        tab.session.reply_begun.connect(self.used)
        tab.session.busy_changed.connect(lambda is_busy: None if is_busy else self.used.emit())
        return tab

    def _add(self, tab: ChatTab, *, is_raised: bool = True) -> None:
        self.add_page(tab, is_raised=is_raised)
        tab.place_in_focus_order(self.row.menu_button)

    def close_tab(self, index: int) -> None:
        """Close a tab; its reply, if one runs, goes on, and what was not sent waits for the chat to be opened again."""
        page = self.page_at(index)
        if isinstance(page, ChatTab):
            self._close_chat(page)
        elif page is not None:
            self._remove(page)
        if not self.is_restoring:
            self.focus_page()

    def close_pages(self, pages: Iterable[QWidget]) -> None:
        """Close the tabs of these that are still open."""
        for page in pages:
            if page in self.pages:
                self.close_tab(self.pages.index(page))

    def _close_chat(self, tab: ChatTab) -> None:
        self._keeper.keep_unsent(tab)
        session = tab.session
        goes_on, waits = session.is_busy, bool(tab.composer.queued.drafts)
        if goes_on:
            self._background.keep(session)
        else:
            end_session(session)
        if session.conversation_id:
            self._closed = [*self._closed, session.conversation_id][-NUM_CLOSED:]
        self._remove(tab)
        if goes_on and session.conversation_id not in self._put_away:
            self.went_on.emit(session, waits)  # now that the tab which shows it is not the one that was closed

    def _remove(self, page: QWidget) -> None:
        self.take_page(page)
        if isinstance(page, ChatTab):
            self._discard(page)
        else:
            page.deleteLater()
        if not self.tabs and not self.is_restoring:
            self.new_tab()
        self._refresh()

    def _discard(self, tab: ChatTab) -> None:
        tab.detach()
        tab.deleteLater()

    def put_away(self, conversation_id: str) -> None:
        """Close what shows a chat that is deleted, and stop what runs in it; it may be had back."""
        tab = self.tab_of(conversation_id)
        self._put_away[conversation_id] = tab is not None
        running = [one for one in self._background.sessions if one.conversation_id == conversation_id]
        for session in [*running, *([tab.session] if tab else [])]:
            session.stop()
        if tab is not None:
            self._close_chat(tab)
        self._refresh()

    def bring_back(self, conversation_id: str) -> None:
        """Open a chat that was put away, if it was open then."""
        if self._put_away.pop(conversation_id, False):
            self.open_chat(conversation_id)

    def forget(self, conversation_id: str) -> None:
        """Let go of a chat that is gone, and of what was written for it."""
        self._put_away.pop(conversation_id, None)
        self._closed = [one for one in self._closed if one != conversation_id]
        if (tab := self.tab_of(conversation_id)) is not None:
            end_session(tab.session)
            self._remove(tab)
        self._background.forget(conversation_id)
        self._keeper.unsent.forget(conversation_id)
        self._refresh()

    def _take_shown(self) -> None:
        self._last_chat = self.current or self._last_chat
        self._refresh()

    async def _show_message(self, tab: ChatTab, message_id: str, words: str) -> None:
        """Go to a message, on another branch too; "" is none."""
        is_shown = any(message.id == message_id for message in tab.session.messages)
        if message_id and (is_shown or await tab.session.choose(message_id)) and tab in self.tabs:
            tab.transcript.scroll_to_message(message_id)
            find_in(self._theme, tab).show_found(words, message_id)

    def _refresh(self) -> None:
        self.relabel()
        self.save()
        self.changed.emit()

    # What is kept for the next start

    def hold(self) -> None:
        """Send nothing more by itself: what waits for a reply stays with its writer."""
        for tab in self.tabs:
            tab.composer.hold()
        self.save()

    def save(self) -> None:
        """Note which tabs are open, and every text that was not sent."""
        if not self.is_restoring:
            self._keeper.save(self.pages, self.current_page, self.marks)
