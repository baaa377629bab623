"""WindowStatistics: the inspector, the page of statistics and the memory bar of one window."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.bridge import EngineBridge
from app.conversations.catalogue import Catalogue
from app.conversations.recorder import Recorder
from app.sidebar.panel import Sidebar
from app.statistics.history import History
from app.statistics.inspector import Inspector
from app.statistics.memory import MemoryWatch
from app.statistics.memory_bar import MemoryBar
from app.statistics.page import StatisticsPage
from app.theme.theme import Theme
from app.workspace import Workspace

SYMBOL, TITLE = "statistics", "Statistics"


class WindowStatistics(QObject):
    def __init__(
        self, theme: Theme, bridge: EngineBridge, recorder: Recorder, catalogue: Catalogue, workspace: Workspace
    ) -> None:
        super().__init__(workspace)
        self._theme = theme
        self._workspace = workspace
        self.history = History(bridge, catalogue.title_of, self)
        self.memory = MemoryWatch(bridge, self)
        self.inspector: Inspector | None = None  # made when it is first asked for
        recorder.began.connect(self.history.begin)
        catalogue.deleted.connect(self.history.forget)
        workspace.changed.connect(self._follow)

    def serve(self, sidebar: Sidebar) -> None:
        """Give the sidebar its memory bar, and the page to what asks for it there."""
        sidebar.footer.set_bar(MemoryBar(self._theme, self.memory))
        sidebar.statistics_asked.connect(self.show_page)
        self._workspace.page_shown.connect(lambda: sidebar.statistics_row.set_current(self._is_page_shown))

    @property
    def _is_page_shown(self) -> bool:
        return isinstance(self._workspace.current_page, StatisticsPage)

    def show_page(self) -> None:
        self._workspace.show_page(SYMBOL, self._make_page)

    def _make_page(self) -> QWidget:
        page = StatisticsPage(self._theme, self.history, self.memory)
        page.setWindowTitle(TITLE)
        return page

    def toggle_inspector(self) -> None:
        self.set_inspector_wanted(not self._workspace.body.is_side_wanted)

    def set_inspector_wanted(self, is_wanted: bool) -> None:
        body = self._workspace.body
        if is_wanted and self.inspector is None:
            self.inspector = Inspector(self._theme, self.history)
            body.set_side(self.inspector)
        body.set_side_wanted(is_wanted)
        self._follow()

    def _follow(self) -> None:
        """Show the statistics of the reply in view."""
        tab = self._workspace.current
        if self.inspector is None or tab is None or not self._workspace.body.is_side_shown:
            return
        replies = [message for message in tab.session.messages if message.role == "assistant"]
        self.inspector.show_reply(replies[-1].id if replies else "", replies[-1] if replies else None)
