"""Worker: one thread for what blocks need and the window must not wait for."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from functools import cache
from itertools import count
from queue import PriorityQueue
from threading import Thread
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.chat.blocks.changes import changes

T = TypeVar("T")
_ARRIVAL_MS = 30  # what comes within so long is shown together
_STOP_SECONDS = 2.0
_FIRST = -(2**62)


class Worker(QObject):
    """Answers the last question first, since it is about what is seen; `changes().changed` follows the answers."""

    _came = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._questions: PriorityQueue[tuple[int, Callable[[], object] | None, object]] = PriorityQueue()
        self._numbers = count(-1, -1)
        self._thread: Thread | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_ARRIVAL_MS)
        self._timer.timeout.connect(changes().changed)
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def ask(self, work: Callable[[], T], take: Callable[[T], None]) -> None:
        """Have `work` done on the thread, where it touches no Qt; `take` is called here with what it returned."""
        self._questions.put((next(self._numbers), work, take))
        if self._thread is None or not self._thread.is_alive():
            self._thread = Thread(target=self._run, name="blocks", daemon=True)
            self._thread.start()
            atexit.register(self.stop)  # before Qt goes, which an answer would reach for

    def stop(self) -> None:
        """End the thread after the question that it is at."""
        if self._thread is not None:
            self._questions.put((_FIRST, None, None))
            self._thread.join(_STOP_SECONDS)
            self._thread = None
            atexit.unregister(self.stop)

    def _run(self) -> None:
        while True:
            _, work, take = self._questions.get()
            if work is None:
                return
            self._came.emit(take, work())
            del work, take

    def _take(self, take: Callable[[object], None], answer: object) -> None:
        take(answer)
        if not self._timer.isActive():
            self._timer.start()


@cache
def worker() -> Worker:
    return Worker()
