"""Pulse: the one clock that every moving glyph reads."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

PERIOD_MS = 1200
NUM_STEPS = 12


class Pulse(QObject):
    ticked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._step = 0
        self._is_wanted = False
        self._is_still = False
        self._timer = QTimer(self)
        self._timer.setInterval(PERIOD_MS // NUM_STEPS)
        self._timer.timeout.connect(self._tick)

    @property
    def phase(self) -> float:
        """Place in the period, 0 <= phase < 1; 0 while nothing runs."""
        return self._step / NUM_STEPS

    @property
    def is_moving(self) -> bool:
        return self._timer.isActive()

    def set_running(self, is_running: bool) -> None:
        self._is_wanted = is_running
        self._run()

    def set_still(self, is_still: bool) -> None:
        """Let nothing move, for those whom it disturbs."""
        self._is_still = is_still
        self._run()

    def _run(self) -> None:
        is_running = self._is_wanted and not self._is_still
        if is_running and not self._timer.isActive():
            self._timer.start()
        elif not is_running and self._timer.isActive():
            self._timer.stop()
            self._step = 0
            self.ticked.emit()

    def _tick(self) -> None:
        self._step = (self._step + 1) % NUM_STEPS
        self.ticked.emit()
