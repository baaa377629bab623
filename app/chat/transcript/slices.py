"""Slices: long work on the GUI thread, done a little at a time between events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer

SLICE_SECONDS = 0.012


class Slices(QObject):
    """Runs one piece of work at a time; starting another ends the one before."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work: Iterator[object] | None = None
        self._when_done: Callable[[], None] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.advance)

    @property
    def is_running(self) -> bool:
        return self._work is not None

    def start(self, work: Iterator[object], when_done: Callable[[], None]) -> None:
        """Do the first slice at once; `when_done` is called when the iterator ends, perhaps at once."""
        self._work, self._when_done = work, when_done
        self.advance()

    def stop(self) -> None:
        self._work = None
        self._timer.stop()

    def advance(self) -> None:
        end = time.perf_counter() + SLICE_SECONDS
        while self._work is not None and time.perf_counter() < end:
            if next(self._work, self) is self:
                self.stop()
                if self._when_done is not None:
                    self._when_done()
                return
        if self._work is not None and not self._timer.isActive():
            self._timer.start()
