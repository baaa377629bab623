"""FindMore: the catalogue and the hub's search, with what each model would need."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import pairwise

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.library.card import start_side
from app.library.download import State
from app.library.downloads import Downloads
from app.library.downloads_list import DownloadsList
from app.library.find_list import GUTTER, FindList
from app.library.find_rows import Bring, Known, make_rows
from app.library.hub import Hub
from app.library.search import ModelSearch
from app.library.searching import Source
from app.library.verdict import NO_VERDICT, Judge
from app.sidebar.search_field import SearchField
from app.statistics.segments import Segments
from app.statistics.sizes import scaled
from app.theme.labels import make_label
from app.theme.theme import Theme

PAUSE_MILLISECONDS = 400  # after the last key, before the hub is asked
LISTED = "In the downloads"  # of a model whose download has failed
NARROW = 560  # px, at the text size of 100 %
PURPOSE = "Search the catalogue and the hub"


class FindMore(QWidget):
    """`judge` says whether so many bytes fit; `is_here` whether a repository is on this machine.

    Call `refresh` when their answers change.
    """

    def __init__(
        self,
        theme: Theme,
        hub: Hub,
        downloads: Downloads,
        judge: Judge = lambda num_bytes: NO_VERDICT,
        is_here: Callable[[str], bool] = lambda repo_id: False,
        parent: QWidget | None = None,
        *,
        shows_downloads: bool = True,
    ) -> None:
        super().__init__(parent)
        self._hub = hub
        self._downloads = downloads
        self._coming: tuple[tuple[str, str], ...] = ()  # keys of downloads, and what rows say of them
        self._known = Known(judge, is_here, self._coming_of, self._is_coming)
        self.search = ModelSearch(hub, self)
        self.field = SearchField(theme, name=PURPOSE, keys="", pause_milliseconds=PAUSE_MILLISECONDS)
        self.sources = Segments(theme, "What to search for")
        self.list = FindList(theme)
        self.downloads_list = DownloadsList(theme, hub, downloads) if shows_downloads else None
        self.note = make_label("", "small", "secondary", wraps=True)
        self.sources.show_segments([(source.value, source.value) for source in Source])
        self._head = QHBoxLayout()
        self._above = QVBoxLayout()  # as wide as the rows of the list, beside its scroll bar
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self._head.setSpacing(12)
        self._head.addWidget(self.field, 1)
        self._head.addWidget(self.sources)
        self._above.setSpacing(12)
        self._above.addLayout(self._head)
        self._above.addWidget(self.note)
        if self.downloads_list is not None:
            self._above.addWidget(self.downloads_list)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(self._above)
        column.addWidget(self.list, 1)
        self._order()

    def _order(self) -> None:
        """The keyboard goes down the page."""
        rows = self.downloads_list.rows.values() if self.downloads_list is not None else ()
        stops = [self.field, self.sources, *(stop for row in rows for stop in row.stops), self.list]
        for first, second in pairwise(stops):
            QWidget.setTabOrder(first, second)

    def _connect(self) -> None:
        self.field.search_asked.connect(self._find)
        self.field.chosen.connect(lambda: self._find(self.field.words))
        self.field.step_asked.connect(lambda step: self.list.setFocus(Qt.FocusReason.TabFocusReason))
        self.sources.chosen.connect(lambda key: self._find(self.field.words))
        self.search.changed.connect(self.refresh)
        self.list.brought.connect(self._bring)
        self.list.more_asked.connect(self.search.more)
        self.list.page_asked.connect(lambda repo_id: QDesktopServices.openUrl(QUrl(self._hub.page_of(repo_id))))
        self._downloads.changed.connect(self._follow)
        if self.downloads_list is not None:
            self.downloads_list.rows_changed.connect(self._order)
        self._hub.changed.connect(self.refresh)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < scaled(NARROW)
        ways = QHBoxLayout.Direction
        self._head.setDirection(ways.TopToBottom if is_narrow else ways.LeftToRight)
        self._above.setContentsMargins(*((GUTTER, 0, 0, 0) if self.isRightToLeft() else (0, 0, GUTTER, 0)))

    def refresh(self) -> None:
        refusal = self._hub.refusal
        self.note.setAlignment(start_side(self))
        self.note.setText(refusal)
        self.note.setVisible(bool(refusal))
        self.list.model_rows.show(make_rows(self.search.results, self._known, datetime.now()))

    def _find(self, words: str) -> None:
        source = Source(self.sources.key)
        results = self.search.results
        if (words, source) != (results.words, results.source) or results.problem is not None:
            self.search.find(words, source)

    def _bring(self, bring: Bring) -> None:
        for repo_id, variant in bring.wanted:
            self._downloads.add(repo_id, variant)

    def _coming_of(self, repo_id: str) -> str:
        """What has failed is offered again by its own row in the list of downloads."""
        states = [one.state for one in self._downloads.downloads if one.repo_id == repo_id]
        if not states:
            return ""
        if all(state is State.FAILED for state in states):
            return LISTED
        return "Paused" if all(state in (State.FAILED, State.PAUSED) for state in states) else "Downloading"

    def _is_coming(self, repo_id: str, variant: str) -> bool:
        return any((one.repo_id, one.variant) == (repo_id, variant) for one in self._downloads.downloads)

    def _follow(self) -> None:
        """Only where a download began, paused or ended: their bytes are not shown here."""
        coming = tuple((one.key, self._coming_of(one.repo_id)) for one in self._downloads.downloads)
        if coming != self._coming:
            self._coming = coming
            self.refresh()
