"""Fits: what each model on this computer takes, asked of the engine one after another and kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.asking import RefusedError
from app.bridge import EngineBridge
from app.library.fit import Fit, Plan, find_fit, judge_size
from app.library.found_model import FoundModel
from app.library.verdict import NO_VERDICT, Verdict
from app.models.gone_files import reason_of
from app.settings.preferences import AUTOMATIC, Preferences, Settings
from app.tasks import start


class Fits(QObject):
    """`automatic` names the drafter that AUTOMATIC stands for with a model, as Submit has it."""

    changed = Signal()

    def __init__(self, bridge: EngineBridge, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.automatic: Callable[[str], str] = lambda target: "none"
        self._bridge = bridge
        self._settings = settings
        self._wanted: tuple[FoundModel, ...] = ()
        self._found: dict[tuple[str, str], Fit] = {}  # by target and stamp
        self._refused: dict[tuple[str, str], tuple[Plan, str]] = {}
        self._fresh: set[tuple[str, str]] = set()  # those of both that need not be asked again
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False
        settings.changed.connect(self._compare)

    def plan_of(self, model: FoundModel) -> Plan:
        choice = self._settings.preferences.model(model.target)
        length = min(choice.context_length or model.context_length, model.context_length)
        return Plan(length, self.num_tabs, choice.kv_bits, self._drafter_of(model.target))

    def of(self, model: FoundModel) -> Fit | None:
        """For the plan of the moment; None before the engine has answered, and where it cannot."""
        fit = self._found.get((model.target, model.stamp))
        return fit if fit is not None and fit.plan == self.plan_of(model) else None

    def problem_of(self, model: FoundModel) -> str:
        """Why the engine cannot say what a model takes, a sentence: its files may be gone."""
        plan, text = self._refused.get((model.target, model.stamp), (None, ""))
        return text if plan == self.plan_of(model) else ""

    def verdict_of(self, model: FoundModel) -> Verdict:
        if text := self.problem_of(model):
            return Verdict(text, is_fit=False)
        fit = self.of(model)
        return fit.verdict if fit is not None else NO_VERDICT

    def refusal_of(self, model: FoundModel) -> str:
        """Why a model cannot be used at all: its own reason, or that nothing of it fits; "" where it can."""
        fit = self.of(model)
        return model.refusal or (fit.sentence if fit is not None and not fit.can_run else "")

    @property
    def limit_bytes(self) -> int:
        """What the system allows; 0 before the first answer."""
        return max((fit.estimate.limit_bytes for fit in self._found.values()), default=0)

    def judge(self, num_bytes: int) -> Verdict:
        """Of a model that is not here, by the bytes of its weights."""
        return judge_size(num_bytes, self.limit_bytes)

    def follow(self, models: Sequence[FoundModel]) -> None:
        """Keep an answer for each of these."""
        self._wanted = tuple(model for model in models if not model.refusal and model.context_length)
        self._go_on()

    def renew(self) -> None:
        """Ask again: the memory that the system allows may be another by now."""
        self._fresh.clear()
        self._go_on()

    @property
    def num_tabs(self) -> int:
        """That are to run at once."""
        return self._settings.preferences.library.num_tabs

    def set_tabs(self, num_tabs: int) -> None:
        preferences = self._settings.preferences
        self._settings.change(replace(preferences, library=replace(preferences.library, num_tabs=num_tabs)))

    def close(self) -> None:
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()

    def _drafter_of(self, target: str) -> str:
        chosen = self._settings.preferences.model(target).drafter
        return self.automatic(target) if chosen in ("", AUTOMATIC) else chosen

    def _compare(self, before: Preferences, after: Preferences) -> None:
        if (before.models, before.library.num_tabs) != (after.models, after.library.num_tabs):
            self.changed.emit()
            self._go_on()

    def _next(self) -> FoundModel | None:
        return next((one for one in self._wanted if not self._is_known(one)), None)

    def _is_known(self, model: FoundModel) -> bool:
        is_answered = self.of(model) is not None or bool(self.problem_of(model))
        return is_answered and (model.target, model.stamp) in self._fresh

    def _go_on(self) -> None:
        if self._task is None and not self._is_closed and self._next() is not None:
            self._task = start(self._ask_all())
            self._task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._task = None

    async def _ask_all(self) -> None:
        while (model := self._next()) is not None:
            key, plan = (model.target, model.stamp), self.plan_of(model)
            try:
                self._found[key] = await find_fit(self._bridge, model.target, plan)
                self._refused.pop(key, None)
            except RefusedError as refused:
                if refused.code == "engine":  # it has stopped; asked again with the next list
                    return
                self._refused[key] = (plan, await reason_of(model.target, refused))
                self._found.pop(key, None)
            self._fresh.add(key)
            self.changed.emit()
