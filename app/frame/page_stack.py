"""PageStack: the row of tabs and the pages under it, chats and others."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.chat.notes import NoteBar
from app.chat.tab import ChatTab
from app.frame.body import Body
from app.frame.focus_order import chain_of, in_order
from app.tabs.bar import TabRow
from app.theme.pulse import Pulse
from app.theme.theme import Theme


class PageStack(QWidget):
    """A page that is no chat has its symbol's name for an object name, and its title for a window title."""

    page_shown = Signal()

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = TabRow(theme, pulse, self)
        self._pages = QStackedWidget(self)
        self.body = Body(self._pages, theme, self)
        self.bar = NoteBar(theme, self)  # of what concerns every page
        self.lasting: dict[str, Callable[[], QWidget]] = {}  # makes pages that come back with the next start, by symbol
        self._coming: dict[str, QWidget] = {}  # pages that are made and not shown yet, by symbol
        self._over_pages = QHBoxLayout()
        self._over_pages.setContentsMargins(0, 0, 0, 0)
        self._over_pages.addWidget(self.bar)
        self.bar.installEventFilter(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.row)
        column.addLayout(self._over_pages)
        column.addWidget(self.body, 1)
        self.row.bar.currentChanged.connect(self._show)
        self.row.bar.chosen.connect(self.focus_page)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A bar that is hidden keeps no room around it."""
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            margin = 0 if self.bar.isHidden() else 12
            self._over_pages.setContentsMargins(margin, margin, margin, 0)
        return super().eventFilter(watched, event)

    @property
    def pages(self) -> list[QWidget]:
        return [page for index in range(self._pages.count()) if (page := self._pages.widget(index)) is not None]

    @property
    def tabs(self) -> list[ChatTab]:
        return [page for page in self.pages if isinstance(page, ChatTab)]

    @property
    def current_page(self) -> QWidget | None:
        return self._pages.currentWidget()

    @property
    def current(self) -> ChatTab | None:
        """The chat that is shown; None while another page is."""
        page = self.current_page
        return page if isinstance(page, ChatTab) else None

    def page_at(self, index: int) -> QWidget | None:
        return self._pages.widget(index)

    def raise_page(self, page: QWidget) -> None:
        self.row.bar.setCurrentIndex(self._pages.indexOf(page))

    def show_page(self, symbol: str, make: Callable[[], QWidget], *, is_large: bool = False) -> QWidget:
        """Show the page of this symbol; one that is not open is made.

        A large one is shown in the loop's next turn: in one turn making and showing would hold the window up.
        """
        page = next((page for page in self.pages if page.objectName() == symbol), None)
        if page is not None:
            self._go_to(page)
            return page
        if symbol in self._coming:
            return self._coming[symbol]
        page = self._coming[symbol] = make()
        page.setObjectName(symbol)
        if is_large:
            QTimer.singleShot(0, self, lambda: self._show_made(symbol))
        else:
            self._show_made(symbol)
        return page

    def _show_made(self, symbol: str) -> None:
        page = self._coming.pop(symbol)
        self._add_made(page)
        self._go_to(page)

    def _add_made(self, page: QWidget, *, is_raised: bool = True) -> None:
        self.add_page(page, is_raised=is_raised)
        in_order((self.row.menu_button, *chain_of(page)))

    def reopen_page(self, symbol: str) -> QWidget | None:
        """Bring a lasting page back, behind what is shown; None where there is none of this symbol, or it is open."""
        is_open = symbol in self._coming or any(page.objectName() == symbol for page in self.pages)
        if symbol not in self.lasting or is_open:
            return None
        page = self.lasting[symbol]()
        page.setObjectName(symbol)
        self._add_made(page, is_raised=False)
        return page

    def _go_to(self, page: QWidget) -> None:
        self.raise_page(page)
        page.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_page(self) -> None:
        """Take the keyboard to the page that is shown; in a chat, to where it is written."""
        if self.current is not None:
            self.current.composer.field.setFocus()
        elif self.current_page is not None:
            self.current_page.setFocus()

    def add_page(self, page: QWidget, *, is_raised: bool = True) -> None:
        self._pages.addWidget(page)
        index = self.row.bar.addTab("")
        self._label(page)
        if not is_raised and self.row.bar.currentIndex() != index:
            self.row.refit()
        elif self.row.bar.currentIndex() == index:
            self._show(index)
        else:
            self.row.bar.setCurrentIndex(index)  # which shows it

    def take_page(self, page: QWidget) -> None:
        """Let go of a page without ending it."""
        index = self._pages.indexOf(page)
        self._pages.removeWidget(page)
        self.row.bar.removeTab(index)

    def step(self, places: int) -> None:
        count = self.row.bar.count()
        if count:
            self.choose((self.row.bar.currentIndex() + places) % count)

    def choose(self, index: int) -> None:
        """Show a page and go on there; nothing where there is no such tab."""
        if 0 <= index < self.row.bar.count():
            self.row.bar.setCurrentIndex(index)
            self.focus_page()

    def relabel(self) -> None:
        for page in self.pages:
            self._label(page)
        self.row.refit()

    def _label(self, page: QWidget) -> None:
        title, mark = (page.title, page.mark) if isinstance(page, ChatTab) else (page.windowTitle(), "")
        self.row.bar.set_tab(self._pages.indexOf(page), title, mark, page.objectName())

    def _show(self, index: int) -> None:
        if 0 <= index < self._pages.count():
            self._pages.setCurrentIndex(index)
        self.body.set_side_allowed(self.current is not None)
        self.body.keep_free(self.current.composer if self.current is not None else None)
        self.row.refit()
        self.page_shown.emit()
