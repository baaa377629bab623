"""SettingsWindow: the pages of the settings in a window of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import (
    QCloseEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from app.frame.window_place import FARTHEST, on_a_screen
from app.kept_file import read_kept, write_kept
from app.settings.page_list import PageList, PageName
from app.settings.preferences import Settings
from app.statistics.sizes import scaled
from app.theme.symbols import app_icon
from app.theme.theme import Theme

FILE_NAME = "settings-window.json"
SIZE, MIN_SIZE = (1040, 800), (420, 360)
NARROW = 660  # px at 100 %, below which the list shows symbols alone


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page that is made when it is first shown."""

    name: str
    symbol: str
    make: Callable[[], QWidget]


@dataclass(frozen=True, slots=True)
class KeptPlace:
    left: int
    top: int
    width: int
    height: int
    page: str


class SettingsWindow(QWidget):
    """Closing only hides it; it comes back where it was, with the page that was shown last."""

    def __init__(
        self, theme: Theme, settings: Settings, pages: Sequence[PageEntry], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._theme = theme
        self._folder = settings.folder
        self._entries = {page.name: page for page in pages}
        self._made: dict[str, QWidget] = {}
        self.page = next(iter(self._entries), "")  # that is shown, or will be
        self.list = PageList(theme, [PageName(page.name, page.symbol) for page in pages], self)
        self._stack = QStackedWidget(self)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(1)  # a hairline, which is painted
        line.addWidget(self.list)
        line.addWidget(self._stack, 1)
        self.setWindowTitle("Settings")
        self.setWindowIcon(app_icon())
        self.resize(*SIZE)
        self.list.chosen.connect(self._show)
        theme.tokens_changed.connect(self._fit)
        self._restore()

    def show_page(self, name: str = "") -> None:
        """Open the window, or bring it to the front, with this page or else the last one."""
        self.list.choose(name or self.page)
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    @property
    def names(self) -> tuple[str, ...]:
        """Of its pages."""
        return tuple(self._entries)

    def made_page(self, name: str) -> QWidget | None:
        """A page that was shown before."""
        return self._made.get(name)

    def _show(self, name: str) -> None:
        if name not in self._made:
            page = self._made[name] = self._entries[name].make()
            self._stack.addWidget(page)
        self.page = name
        self._stack.setCurrentWidget(self._made[name])
        self.setWindowTitle(f"{name} · Settings")

    def _restore(self) -> None:
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        place = read_kept(self._folder / FILE_NAME, _build, None)
        if place is None:
            wanted = QRect(QPoint(), self.size())
            if (parent := self.parentWidget()) is not None:
                wanted.moveCenter(parent.geometry().center())
            self.setGeometry(on_a_screen(wanted, screens))
            return
        self.setGeometry(on_a_screen(QRect(place.left, place.top, place.width, place.height), screens))
        self.page = place.page if place.page in self._entries else self.page

    def _fit(self) -> None:
        self.setMinimumSize(scaled(MIN_SIZE[0]), MIN_SIZE[1])
        self.list.set_narrow(self.width() < scaled(NARROW))
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, list_place = QPainter(self), self.list.geometry()
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        left = list_place.left() - 1 if is_mirrored else list_place.right() + 1
        painter.fillRect(list_place, self._theme.colour("sidebar"))
        painter.fillRect(left, 0, 1, self.height(), self._theme.colour("line"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape or event.matches(QKeySequence.StandardKey.Close):
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        place = self.normalGeometry() if self.isMaximized() or self.isFullScreen() else self.geometry()
        kept = KeptPlace(place.x(), place.y(), place.width(), place.height(), self.page)
        write_kept(self._folder / FILE_NAME, kept)


def _build(found: Any) -> KeptPlace:
    left, top, width, height = (int(found[name]) for name in ("left", "top", "width", "height"))
    if max(abs(left), abs(top), width, height) > FARTHEST:
        raise ValueError(f"the window stands at {left}, {top} and is {width} by {height}")
    return KeptPlace(left, top, width, height, str(found["page"]))
