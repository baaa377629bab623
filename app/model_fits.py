"""ModelFits: which models on this computer need more memory than the system allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from app.asking import RefusedError
from app.bridge import EngineBridge
from app.library.fit import Plan, find_fit
from app.tasks import start

LEAST_CONTEXT = 4096  # tokens: a model without room for so many is of no use


class Measurable(Protocol):
    @property
    def target(self) -> str: ...
    @property
    def refusal(self) -> str: ...


class ModelFits(QObject):
    """Each is asked for once; a model of which nothing is known fits."""

    changed = Signal()

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._refusals: dict[str, str] = {}  # by target

    def refusal_of(self, target: str) -> str:
        """Why it cannot be used, a sentence; "" where it can."""
        return self._refusals.get(target, "")

    def ask(self, models: Sequence[Measurable]) -> None:
        unknown = [one.target for one in models if not one.refusal and one.target not in self._refusals]
        self._refusals |= dict.fromkeys(unknown, "")
        if unknown:
            start(self._ask(unknown))

    async def _ask(self, targets: Sequence[str]) -> None:
        for target in targets:
            try:
                fit = await find_fit(self._bridge, target, Plan(LEAST_CONTEXT))
            except RefusedError:
                self._refusals.pop(target, None)  # as without an engine; asked again with the next look
                continue
            if fit.estimate.limit_bytes and not fit.can_run:
                self._refusals[target] = fit.sentence
                self.changed.emit()
