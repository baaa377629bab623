"""Python's cyclic garbage collection, kept on the GUI thread.

Automatic collection runs on whichever thread allocates, the engine's included, and a QObject that dies outside its own
thread can end the process.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL_MILLISECONDS = 1000


class GarbageCollector(QObject):
    """Collects by Python's own thresholds, from a timer; automatic collection is off until `close`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MILLISECONDS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect the oldest generation that is due, which includes the younger ones."""
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > gc.get_threshold()[generation]:
                gc.collect(generation)
                return

    def close(self) -> None:
        self._timer.stop()
        gc.enable()
