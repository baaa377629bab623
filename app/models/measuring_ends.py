"""MeasuringEnds: ends what is measured where its model is let go, as each trial would load it again."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.bridge import EngineBridge
from app.models.chooser import ModelChooser
from app.settings.drafters.measuring import Measuring
from engine.messages import Event, Failed

CHOSEN = "Measuring ended because another model was chosen. What was complete is kept."
EJECTED = "Measuring ended because the model was ejected. What was complete is kept."
STOPPED = "Measuring ended because the engine stopped. What was complete is kept."


class MeasuringEnds(QObject):
    def __init__(
        self, bridge: EngineBridge, chooser: ModelChooser, measuring: Measuring, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._chooser = chooser
        self._measuring = measuring
        chooser.exchanged.connect(self._take_exchange)
        chooser.ejected.connect(lambda target: measuring.end(EJECTED, lambda one: one == target))
        bridge.received.connect(self._receive)

    def _take_exchange(self) -> None:
        """A choice that is refused lets nothing go."""
        target = self._chooser.target
        self._measuring.end(CHOSEN, lambda one: one != target)

    def _receive(self, event: Event) -> None:
        if isinstance(event, Failed) and event.request_id == 0:
            self._measuring.end(STOPPED, lambda one: True)
