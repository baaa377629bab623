"""Activity: how fast the running replies are, all together."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.bridge import EngineBridge
from engine.messages import Delta, Event, Failed, Finished

SHOWN_MS = 250


class Activity(QObject):
    changed = Signal()  # at most four times a second

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rates: dict[int, float] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_MS)
        self._timer.timeout.connect(self.changed)
        bridge.received.connect(self._receive)

    @property
    def tokens_per_second(self) -> float:
        return sum(self._rates.values())

    def _receive(self, event: Event) -> None:
        if isinstance(event, Delta):
            self._rates[event.request_id] = event.statistics.tokens_per_second
        elif isinstance(event, (Finished, Failed)):
            self._rates.pop(event.request_id, None)
        else:
            return
        if not self._timer.isActive():
            self._timer.start()
