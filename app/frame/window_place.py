"""Where the window stands and how wide its sidebar is, kept in the data folder for the next start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.frame.body import Body
from app.frame.shell import Shell
from app.kept_file import read_kept, write_kept

FILE_NAME = "window.json"
SAVE_MILLISECONDS = 1000
TITLE_BAR = 32  # px that the system may draw above the window
FARTHEST = 100_000  # px; no arrangement of screens is as large
_TELLING = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.WindowStateChange)


@dataclass(frozen=True, slots=True)
class WindowPlace:
    """The window without its frame, as it is when it is not maximised."""

    left: int
    top: int
    width: int
    height: int
    is_maximised: bool
    sidebar_width: int
    is_sidebar_wanted: bool
    is_inspector_wanted: bool = False


def read_place(folder: Path) -> WindowPlace | None:
    return read_kept(folder / FILE_NAME, _build, None)


def write_place(folder: Path, place: WindowPlace) -> None:
    write_kept(folder / FILE_NAME, place)


def on_a_screen(wanted: QRect, screens: Sequence[QRect]) -> QRect:
    """The rectangle, moved and made smaller until all of it lies on the screen that shows most of it, or the first."""
    if not screens:
        return wanted
    screen = max(screens, key=lambda one: _area(one.intersected(wanted))).adjusted(0, TITLE_BAR, 0, 0)
    width, height = min(wanted.width(), screen.width()), min(wanted.height(), screen.height())
    left = max(screen.left(), min(wanted.left(), screen.left() + screen.width() - width))
    top = max(screen.top(), min(wanted.top(), screen.top() + screen.height() - height))
    return QRect(left, top, width, height)


class PlaceKeeper(QObject):
    """Puts a window back where it was, and notes where it goes."""

    def __init__(self, window: QWidget, shell: Shell, body: Body, folder: Path) -> None:
        super().__init__(window)
        self._window = window
        self._shell = shell
        self._body = body
        self._folder = folder
        self._saved = read_place(folder)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_MILLISECONDS)
        self._timer.timeout.connect(self.save)
        if self._saved is not None:
            self._restore(self._saved)
        else:
            self._fit()
        shell.sidebar_toggled.connect(lambda: self._timer.start())
        body.side_toggled.connect(lambda: self._timer.start())
        window.installEventFilter(self)

    def save(self) -> None:
        self._timer.stop()
        place = self._place()
        if place != self._saved:
            self._saved = place
            write_place(self._folder, place)

    @property
    def is_inspector_wanted(self) -> bool:
        """As it was at the last time."""
        return self._saved is not None and self._saved.is_inspector_wanted

    def _fit(self) -> None:
        """Make a first window no larger than its screen."""
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        self._window.resize(on_a_screen(QRect(self._window.pos(), self._window.size()), screens).size())

    def _place(self) -> WindowPlace:
        window, shell = self._window, self._shell
        is_maximised = window.isMaximized()
        rect = window.normalGeometry() if is_maximised or window.isFullScreen() else window.geometry()
        sides = (shell.sidebar_width, shell.is_sidebar_wanted, self._body.is_side_wanted)
        return WindowPlace(rect.x(), rect.y(), rect.width(), rect.height(), is_maximised, *sides)

    def _restore(self, place: WindowPlace) -> None:
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        self._window.setGeometry(on_a_screen(QRect(place.left, place.top, place.width, place.height), screens))
        if place.is_maximised:
            self._window.setWindowState(Qt.WindowState.WindowMaximized)
        self._shell.restore_sidebar(place.sidebar_width, is_wanted=place.is_sidebar_wanted)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _TELLING:
            self._timer.start()
        return super().eventFilter(watched, event)


def _build(found: Any) -> WindowPlace:
    left, top, width, height = (int(found[name]) for name in ("left", "top", "width", "height"))
    if max(abs(left), abs(top), width, height) > FARTHEST:
        raise ValueError(f"the window stands at {left}, {top} and is {width} by {height}")
    sides = (int(found["sidebar_width"]), bool(found["is_sidebar_wanted"]), bool(found.get("is_inspector_wanted")))
    return WindowPlace(left, top, width, height, bool(found["is_maximised"]), *sides)


def _area(rect: QRect) -> int:
    return max(0, rect.width()) * max(0, rect.height())
