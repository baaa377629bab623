"""IdleUnload: lets the model go that no reply has used for as long as was chosen."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.bridge import EngineBridge
from app.models.chooser import ModelChooser
from app.settings.preferences import Settings
from app.upkeep.running_replies import RunningReplies
from engine.messages import Delta, Event, Finished, ModelLoaded, Progress

LOOK_MILLISECONDS = 20_000


class IdleUnload(QObject):
    """Whatever the engine does for a reply or a measurement counts as use."""

    def __init__(
        self,
        bridge: EngineBridge,
        chooser: ModelChooser,
        running: RunningReplies,
        settings: Settings,
        *,
        clock: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        """`clock` gives seconds."""
        super().__init__(parent)
        self.is_measuring: Callable[[], bool] = lambda: False
        self._chooser = chooser
        self._running = running
        self._settings = settings
        self._clock = clock
        self._used_at = clock()
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MILLISECONDS)
        self._timer.timeout.connect(self.look)
        self._timer.start()
        bridge.received.connect(self._receive)

    def look(self) -> None:
        """Eject the model where its time has come."""
        if self.is_measuring():
            self._used_at = self._clock()
        minutes = self._settings.preferences.general.unload_minutes
        if minutes and not self._running.count and self._clock() - self._used_at >= 60 * minutes:
            self._chooser.eject()

    def _receive(self, event: Event) -> None:
        if isinstance(event, Delta | Finished | ModelLoaded | Progress):
            self._used_at = self._clock()
