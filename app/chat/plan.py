"""Planner: what the next reply of a chat is made with, from the preferences, the presets and the chat's own choices."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from app.asking import RefusedError, ask
from app.bridge import EngineBridge
from app.chat.usable_drafters import UsableDrafters
from app.conversations.reply_plan import ReplyPlan
from app.latest import wait_for
from app.models.drafters import DEFAULT_DRAFTER
from app.settings.preferences import AUTOMATIC, ModelChoice, Preferences, Settings
from app.settings.presets import Preset, Presets
from app.tasks import start
from engine.messages import GREEDY, UNQUANTISED, Event, Inspect, KvScheme, ModelFacts, ModelLoaded

__all__ = ["Planner", "ReplyPlan", "ResolvesDrafters", "WeightFree"]
logger = logging.getLogger(__name__)
MOST_SECONDS = 2.0  # that a message waits for what is known of its model


class ResolvesDrafters(Protocol):
    """What AUTOMATIC stands for."""

    def resolve(self, target: str) -> str:
        """A drafter that the engine knows."""


class WeightFree:
    """Automatic where nothing was measured."""

    def resolve(self, target: str) -> str:
        return DEFAULT_DRAFTER


class Planner(QObject):
    changed = Signal()  # the next replies are made with something else

    def __init__(
        self,
        settings: Settings,
        presets: Presets,
        bridge: EngineBridge,
        *,
        automatic: ResolvesDrafters | None = None,
        target_of: Callable[[], str] | None = None,
        drafter: str = "",
        parent: QObject | None = None,
    ) -> None:
        """`target_of` gives another model than the preferences name; `drafter` stands in for that of every model."""
        super().__init__(parent)
        self.presets = presets
        self._settings = settings
        self._bridge = bridge
        self._automatic = automatic or WeightFree()
        self._target_of = target_of or (lambda: settings.preferences.target)
        self._drafter = drafter
        self._usable = UsableDrafters(bridge, lambda target: self._automatic.resolve(target))
        self._inspected: dict[str, ModelFacts] = {}
        settings.changed.connect(self._take_preferences)
        presets.changed.connect(self.changed)
        bridge.received.connect(self._receive)

    @property
    def target(self) -> str:
        """The model that every chat goes on with."""
        return self._target_of()

    @property
    def facts(self) -> ModelFacts | None:
        """What is known of that model; None before anything is."""
        return self._bridge.facts_of(self.target) or self._inspected.get(self.target)

    def preset_of(self, preset_id: str) -> Preset:
        """The one that a chat's choice stands for: "", and one that is gone, for what new chats begin with."""
        return self.presets.find(preset_id) or self.presets.get(self._choice.preset)

    def plan(self, drafter: str = "", preset_id: str = "") -> ReplyPlan:
        """For a chat that has chosen this; "" is as the model's choice."""
        choice, preset, facts = self._choice, self.preset_of(preset_id), self.facts
        base = replace(facts.sampling if facts else GREEDY, seed=secrets.randbits(63))
        return ReplyPlan(
            self.target,
            self.resolve(drafter),
            preset.system_prompt if preset.system_prompt.strip() else "",
            preset.sampling(base),
            KvScheme(choice.kv_bits) if choice.kv_bits else UNQUANTISED,
            choice.context_length,
            choice.template,
        )

    def resolve(self, drafter: str, target: str = "") -> str:
        """The drafter that a choice stands for, as the engine knows it; AUTOMATIC is another one for each target."""
        drafter = drafter or self._drafter or self._choice.drafter
        return self._automatic.resolve(target or self.target) if drafter == AUTOMATIC else drafter

    @property
    def stand_in(self) -> str:
        """The drafter that stands in for that of every model; "" is none."""
        return self._drafter

    def use_automatic(self, automatic: ResolvesDrafters) -> None:
        """Let this say what AUTOMATIC stands for."""
        self._automatic = automatic
        self.changed.emit()

    def use_drafter(self, drafter: str) -> None:
        """Let it stand in for that of every model."""
        self._drafter = drafter
        self.changed.emit()

    async def with_usable_drafter(self, plan: ReplyPlan) -> ReplyPlan:
        """With another drafter, and a notice, where the one that was chosen is gone or does not fit."""
        drafter, notice = await self.usable_drafter(plan.drafter, plan.target)
        return replace(plan, drafter=drafter, notices=(*plan.notices, notice)) if notice else plan

    async def usable_drafter(self, drafter: str, target: str) -> tuple[str, str]:
        """The drafter of a reply, and the notice on it, "" where it is the one that was asked for."""
        return await self._usable.usable(drafter, target)

    async def know_model(self) -> None:
        """Find out how the model asks to be sampled, where that is not known; waits a moment at most."""
        asked: set[str] = set()
        while self.facts is None and self.target not in asked:  # another model may be chosen meanwhile
            asked.add(self.target)
            await wait_for(start(self._inspect(self.target)), MOST_SECONDS)

    async def _inspect(self, target: str) -> None:
        try:
            question = ask(self._bridge, lambda request_id: Inspect(request_id, target), ModelFacts)
            self._inspected[target] = await question
        except RefusedError as error:
            logger.info("nothing is known of the model yet: %s", error)

    @property
    def _choice(self) -> ModelChoice:
        return self._settings.preferences.model(self.target)

    def _take_preferences(self, before: Preferences, after: Preferences) -> None:
        if (before.target, before.models) != (after.target, after.models):
            self.changed.emit()

    def _receive(self, event: Event) -> None:
        """A model that is loaded tells what it asks for."""
        if isinstance(event, ModelLoaded) and event.facts.target == self.target:
            self.changed.emit()
