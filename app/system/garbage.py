"""Python's cyclic garbage collection, kept on the GUI thread and off its busy turns.

Automatic collection runs on whichever thread allocates, the engine's included, and a QObject that dies outside its own
thread can end the process. A pass takes some 0.4 ms for a thousand objects that it looks at and cannot be interrupted:
what was made at once, such as the blocks of a long chat, is set aside, and everything is looked through while the
window has nothing to do.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

INTERVAL_MILLISECONDS = 1000
MOST_YOUNG = 25_000  # objects that one pass looks at while the window may be in use: some 10 ms
MOST_OLD = 100_000  # objects that a pass over everything may be put off for
QUIET_SHARE, QUIET_TICKS = 0.03, 3  # of the interval that this thread works at most, so many times in a row
MOST_SECONDS = 600.0  # that a pass over everything waits for quiet


class GarbageCollector(QObject):
    """Collects from a timer; automatic collection is off until `close`."""

    def __init__(self, parent: QObject | None = None, worked: Callable[[], float] = time.thread_time) -> None:
        """`worked` says how many seconds this thread has worked so far."""
        super().__init__(parent)
        self._worked = worked
        self._worked_before = worked()
        self._num_quiet = 0  # ticks
        self._num_old = 0  # objects since the last pass over everything
        self._due_at: float | None = None
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MILLISECONDS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect what is young; what is old too where that is due and nothing else is to be done."""
        self._look_for_quiet()
        if self._is_due() and (self._num_quiet >= QUIET_TICKS or self._has_waited()):
            self.collect_all()
            return
        num_young, num_passes, _ = gc.get_count()
        if num_young > MOST_YOUNG:
            self._num_old += num_young
            gc.freeze()  # until everything is looked through
        elif num_young > gc.get_threshold()[0]:
            self._num_old += num_young
            gc.collect(1 if num_passes > gc.get_threshold()[1] else 0)

    def collect_all(self) -> None:
        self._num_old, self._due_at = 0, None
        gc.unfreeze()
        gc.collect()

    def _look_for_quiet(self) -> None:
        worked = self._worked()
        is_quiet = worked - self._worked_before < QUIET_SHARE * INTERVAL_MILLISECONDS / 1000
        self._num_quiet = self._num_quiet + 1 if is_quiet else 0
        self._worked_before = worked

    def _is_due(self) -> bool:
        is_due = self._num_old > MOST_OLD or gc.get_count()[2] > gc.get_threshold()[2]
        if is_due and self._due_at is None:
            self._due_at = time.monotonic()
        return is_due

    def _has_waited(self) -> bool:
        return self._due_at is not None and time.monotonic() - self._due_at > MOST_SECONDS

    def close(self) -> None:
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
