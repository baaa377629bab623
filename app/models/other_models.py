"""OtherModels: lets a model go that is in memory beside the one that answers, once nothing is measured of it."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.bridge import EngineBridge
from app.models.chooser import ModelChooser
from app.settings.drafters.measuring import Measuring
from engine.messages import Event, ModelLoaded


class OtherModels(QObject):
    def __init__(
        self, bridge: EngineBridge, chooser: ModelChooser, measuring: Measuring, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._chooser = chooser
        self._measuring = measuring
        self._targets: set[str] = set()  # that were measured when this was last looked at
        measuring.changed.connect(self._take_measured)
        bridge.received.connect(self._receive)

    def _take_measured(self) -> None:
        before, self._targets = self._targets, self._measuring.targets
        for target in sorted(before - self._targets):
            self._chooser.let_go(target)

    def _receive(self, event: Event) -> None:
        """One comes back for a message that was being saved when another model was chosen."""
        if isinstance(event, ModelLoaded) and event.facts.target not in self._measuring.targets:
            self._chooser.let_go(event.facts.target)
