"""Opener: does with what is opened what the menus do: uses a model, or shows what an import would bring."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.chat.notes import Action, Note
from app.conversations.off_thread import run_off_thread
from app.opening.given import Given, look_at
from app.system.single import Handed
from app.tasks import start

if TYPE_CHECKING:
    from app.window import MainWindow

SUBJECT = "opened"


class Opener(QObject):
    """Of one window; what is to be opened waits until that is there."""

    def __init__(self, window: MainWindow, given: Given) -> None:
        """The model of `given` is in use already."""
        super().__init__(window)
        self._window = window
        self._given = replace(given, model="")
        self._waiting: list[str] | None = []
        self._is_closed = False
        window.closed.connect(self._close)

    def begin(self) -> None:
        """The window is open; from here on what macOS asks to open is opened too."""
        waiting, self._waiting = self._waiting or [], None
        if self._given != Given():
            self._use(self._given)
        self.open(waiting)
        if isinstance(application := QApplication.instance(), Application):
            application.follow_files(self.open_file)

    def take_over(self, handed: Handed) -> None:
        """Come to the front for another start, with what that was to use and to open."""
        self._window.take_over(handed)
        self.open(handed.paths)

    def open(self, paths: Sequence[str]) -> None:
        """`paths` are absolute."""
        if self._waiting is not None:
            self._waiting += paths
        elif paths:
            start(self._open(paths))

    def open_file(self, path: str) -> None:
        self.open((path,))

    def _close(self) -> None:
        self._is_closed = True

    async def _open(self, paths: Sequence[str]) -> None:
        self._use(await run_off_thread(lambda: look_at(paths)))

    def _use(self, given: Given) -> None:
        if self._is_closed:
            return
        self._window.raise_window()
        self._window.models.use(given.model, "")
        if given.chats:
            self._window.importer.read(given.chats)
        if given.troubles:
            self._window.notes.show(SUBJECT, Note(" ".join(given.troubles), (Action.CLOSE,)))


async def look_for(paths: Sequence[str]) -> Given:
    """What a start is to open."""
    return await run_off_thread(lambda: look_at(paths)) if paths else Given()


def absolute(paths: Sequence[str]) -> tuple[str, ...]:
    """As a window understands them that was started in another folder."""
    return tuple(os.path.abspath(os.path.expanduser(path)) for path in paths)
