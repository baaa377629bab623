"""DiskFull: says in every chat that it is not saved, and lets nothing be sent, until the disk has room again."""

from __future__ import annotations

import asyncio
import sqlite3

from PySide6.QtCore import QObject, QTimer

from app.conversations.database import Database
from app.conversations.disk_room import check_room
from app.conversations.opening import StorageError
from app.tabs.workspace import Workspace
from app.tasks import start

SENTENCE = "This chat is not saved: the disk is full."
SUBJECT = "disk"  # of the note
ASK_MILLISECONDS = 2000


class DiskFull(QObject):
    def __init__(self, database: Database, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._database = database
        self._workspace = workspace
        self._is_full = False
        self._timer = QTimer(self)
        self._timer.setInterval(ASK_MILLISECONDS)
        self._timer.timeout.connect(lambda: start(self._ask()))

    def notice(self) -> None:
        """Hear that something was not saved for want of room."""
        self._set_full(True)

    def close(self) -> None:
        self._timer.stop()

    def _set_full(self, is_full: bool) -> None:
        if is_full == self._is_full:
            return
        self._is_full = is_full
        self._workspace.alike.refuse(SUBJECT, SENTENCE if is_full else "")
        if is_full:
            self._timer.start()
        else:
            self._timer.stop()

    async def _ask(self) -> None:
        try:
            await asyncio.wrap_future(self._database.run(lambda store: check_room(store, self._database.path.parent)))
            self._set_full(False)
        except (OSError, sqlite3.Error, StorageError):
            pass  # asked again with the next tick
