"""Activity: how fast the running replies are, all together."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from app.bridge import EngineBridge
from app.statistics.rates import WINDOW_SECONDS, RateWindow
from engine.messages import Delta, Event, Failed, Finished

SHOWN_MS = 250


class Activity(QObject):
    changed = Signal()  # at most four times a second

    def __init__(
        self, bridge: EngineBridge, parent: QObject | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(parent)
        self._clock = clock
        self._rates: dict[int, RateWindow] = {}
        self._timer = self._make_timer(SHOWN_MS)
        self._silence = self._make_timer(round(WINDOW_SECONDS * 1000))  # after which a rate has fallen to nothing
        bridge.received.connect(self._receive)

    def _make_timer(self, milliseconds: int) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(self.changed)
        return timer

    @property
    def tokens_per_second(self) -> float:
        """Over the last two seconds, of all replies together."""
        now = self._clock()
        return sum(window.rate(now) or 0.0 for window in self._rates.values())

    def _receive(self, event: Event) -> None:
        if isinstance(event, Delta):
            self._rates.setdefault(event.request_id, RateWindow()).add(self._clock(), len(event.token_ids))
            self._silence.start()
        elif isinstance(event, (Finished, Failed)):
            self._rates.pop(event.request_id, None)
        else:
            return
        if not self._timer.isActive():
            self._timer.start()
