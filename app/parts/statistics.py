"""WindowStatistics: the inspector, the page of statistics and the memory bar of one window."""

from __future__ import annotations

import asyncio
import logging
import sqlite3

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.bridge import EngineBridge
from app.conversations.catalogue import Catalogue
from app.conversations.database import Database
from app.conversations.opening import StorageError
from app.conversations.recorded_statistics import read_recorded, since_of
from app.conversations.recorder import Recorder
from app.frame.focus_order import move_before
from app.settings.preferences import Preferences, Settings
from app.sidebar.panel import Sidebar
from app.statistics.history import NUM_REPLIES, History
from app.statistics.inspector import Inspector
from app.statistics.memory import MemoryWatch
from app.statistics.memory_bar import MemoryBar
from app.statistics.page import StatisticsPage
from app.statistics.recalling import recall
from app.tabs.workspace import Workspace
from app.tasks import start
from app.theme.theme import Theme

SYMBOL, TITLE = "statistics", "Statistics"
logger = logging.getLogger(__name__)


class WindowStatistics(QObject):
    tint_changed = Signal(bool)

    def __init__(
        self,
        theme: Theme,
        bridge: EngineBridge,
        recorder: Recorder,
        catalogue: Catalogue,
        workspace: Workspace,
        database: Database,
        settings: Settings,
    ) -> None:
        super().__init__(workspace)
        self._theme = theme
        self._workspace = workspace
        self.history = History(bridge, catalogue.title_of, self)
        self.memory = MemoryWatch(bridge, self)
        self.inspector: Inspector | None = None  # made when it is first asked for
        self._database = database
        self._settings = settings
        recorder.began.connect(self.history.begin)
        catalogue.deleted.connect(self.history.forget)
        self._sidebar: Sidebar | None = None
        self._is_tinted = False
        self._was_shown = False
        workspace.changed.connect(self._follow)
        workspace.reply_in_view_changed.connect(self._follow)
        workspace.body.side_toggled.connect(self._take_side)
        workspace.body.side_left.connect(self._close_inspector)
        self.history.changed.connect(self._share_rates)
        workspace.tint_asked.connect(lambda: self.set_tint(not self._is_tinted))
        workspace.lasting[SYMBOL] = self._make_page
        settings.changed.connect(self._take_preferences)

    def serve(self, sidebar: Sidebar) -> None:
        """Give the sidebar its memory bar, and the page to what asks for it there."""
        self._sidebar = sidebar
        sidebar.footer.set_bar(MemoryBar(self._theme, self.memory))
        sidebar.statistics_asked.connect(self.show_page)
        self._workspace.page_shown.connect(lambda: sidebar.statistics_row.set_current(self._is_page_shown))

    @property
    def _is_page_shown(self) -> bool:
        return isinstance(self._workspace.current_page, StatisticsPage)

    def show_page(self) -> None:
        """Of the chat that is left for it where a reply runs in it, else as it was."""
        tab = self._workspace.current
        page = self._workspace.show_page(SYMBOL, self._make_page, is_large=True)
        if tab is not None and tab.session.is_busy and isinstance(page, StatisticsPage):
            page.show_chat(tab.session.conversation_id or "")

    def _make_page(self) -> QWidget:
        page = StatisticsPage(self._theme, self.history, self.memory)
        page.setWindowTitle(TITLE)
        start(self._recall())
        return page

    def _take_preferences(self, before: Preferences, after: Preferences) -> None:
        if before.statistics.keep_days != after.statistics.keep_days:
            start(self._recall())

    async def _recall(self) -> None:
        """Have the page begin with the last replies of earlier starts, as far back as is looked."""
        since = since_of(self._settings.preferences.statistics.keep_days)
        try:
            found = await asyncio.wrap_future(
                self._database.run(lambda store: read_recorded(store, since, NUM_REPLIES))
            )
        except (sqlite3.Error, StorageError) as error:
            logger.warning("the statistics of earlier replies were not read: %s", error)
        else:
            self.history.recall([recall(one) for one in found])

    def toggle_inspector(self) -> None:
        body = self._workspace.body
        self.set_inspector_wanted(not body.is_side_wanted or body.is_side_held_back)

    def set_inspector_wanted(self, is_wanted: bool, *, is_over: bool = True) -> None:
        body = self._workspace.body
        if is_wanted and self.inspector is None:
            self.inspector = Inspector(self._theme, self.history)
            self.inspector.set_tint(self._is_tinted)
            self.inspector.tint_toggled.connect(self.set_tint)
            self.inspector.close_asked.connect(self._close_inspector)
            body.set_side(self.inspector)
            if self._sidebar is not None:
                move_before(self._sidebar.first, self.inspector)
        body.set_side_wanted(is_wanted, is_over=is_over)
        self._follow()

    def _close_inspector(self) -> None:
        self.set_inspector_wanted(False)
        self._workspace.focus_page()

    def set_tint(self, is_tinted: bool) -> None:
        """Tint what accepted drafts wrote, in every chat of the window."""
        if is_tinted == self._is_tinted:
            return
        self._is_tinted = is_tinted
        self._workspace.alike.set_tint(is_tinted)
        if self.inspector is not None:
            self.inspector.set_tint(is_tinted)
        self.tint_changed.emit(is_tinted)

    def _share_rates(self) -> None:
        """Let strips say what inspector, page and sidebar say."""
        for tab in self._workspace.tabs:
            last = tab.transcript.last if tab.isVisible() else None
            tracked = self.history.reply_of(last.message.id) if last is not None and last.is_running else None
            if tracked is not None:
                tab.transcript.set_rate(self.history.rate_of(tracked))

    def _take_side(self, is_shown: bool) -> None:
        """An inspector that comes with the size of the window tells what it did not follow before."""
        if self.inspector is not None:
            self.inspector.set_over(self._workspace.body.is_side_over)
        if is_shown and not self._was_shown:
            self._follow()
        self._was_shown = is_shown

    def _follow(self) -> None:
        """Show the statistics of the reply in view."""
        tab = self._workspace.current
        if self.inspector is None or tab is None or not self._workspace.body.is_side_shown:
            return
        message_id = tab.transcript.reply_in_view
        message = next((one for one in tab.session.messages if one.id == message_id), None)
        self.inspector.show_reply(message_id, message)
