"""MeasuredModels: lets a model go that was loaded only for what is measured of it."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.models.chooser import ModelChooser
from app.settings.drafters.measuring import Measuring


class MeasuredModels(QObject):
    def __init__(self, chooser: ModelChooser, measuring: Measuring, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chooser = chooser
        self._measuring = measuring
        self._targets: set[str] = set()
        measuring.changed.connect(self._take)

    def _take(self) -> None:
        before, self._targets = self._targets, self._measuring.targets
        for target in sorted(before - self._targets):
            self._chooser.let_go(target)
