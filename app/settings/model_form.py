"""ModelForm: what holds for chats with one model where they say nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.asking import RefusedError, ask
from app.bridge import EngineBridge
from app.chat.plan import Planner
from app.figures import write_bytes, write_count
from app.latest import Latest
from app.library.fit import needed_bytes
from app.models.drafters import drafter_name
from app.models.gone_files import reason_of
from app.settings.form import Card, Choice, NumberField, Row, make_button
from app.settings.preferences import AUTOMATIC, ModelChoice, Settings
from app.theme.labels import StartLabel
from app.theme.theme import Theme
from engine.messages import EstimateMemory, Event, Inspect, KvScheme, MemoryEstimate, ModelFacts, ModelLoaded

LEAST_CONTEXT, MOST_CONTEXT = 128, 16_777_216  # tokens
BITS = (("0", "16 bits"), ("8", "8 bits"), ("4", "4 bits"))
BITS_SENTENCE = "How exactly what was read is kept. Fewer bits take less memory and cost some accuracy."
UNDER_AUTOMATIC = "Automatic"


class ModelForm(Card):
    drafters_asked = Signal(str)  # choose a drafter for this target
    inspected = Signal(object)  # ModelFacts of the model that is shown; None where nothing is known

    def __init__(self, theme: Theme, settings: Settings, planner: Planner, bridge: EngineBridge) -> None:
        super().__init__(theme)
        self._settings = settings
        self._planner = planner
        self._bridge = bridge
        self.target = ""
        self.facts: ModelFacts | None = None
        self._inspection, self._estimate = Latest(), Latest()
        self.context = NumberField(theme, LEAST_CONTEXT, MOST_CONTEXT)
        self.bits = Choice(theme, BITS)
        self._drafter = StartLabel("", "interface", "secondary", wraps=False)
        self.choose_drafter = make_button("Choose…", self._ask_drafters, name="Choose the drafter of this model")
        self.preset = Choice(theme)
        self.context_row = Row("Context in tokens", self.context)
        self.bits_row = Row("Cache bits", self.bits, BITS_SENTENCE)
        for row in (
            self.context_row,
            self.bits_row,
            Row("Drafter", _beside(self._drafter, self.choose_drafter)),
            Row("Preset of new chats", self.preset),
        ):
            self.add(row)
        self.context.changed.connect(lambda tokens: self._change(context_length=tokens or 0))
        self.bits.chosen.connect(lambda bits: self._change(kv_bits=int(bits)))
        self.preset.chosen.connect(lambda preset_id: self._change(preset=preset_id))
        bridge.received.connect(self._receive)

    @property
    def choice(self) -> ModelChoice:
        return self._settings.preferences.model(self.target)

    def show_model(self, target: str) -> None:
        if target != self.target:
            self.target, self.facts = target, self._bridge.facts_of(target)
            self._inspection.begin(self._inspect)
        elif self.facts is None and not self._inspection.is_running:  # it was dropped with the page, or refused
            self._inspection.begin(self._inspect)
        self.refresh()

    def refresh(self) -> None:
        """Preferences, presets or drafters have changed."""
        choice = self.choice
        self.context.show_value(choice.context_length or None)
        self.bits.choose(str(choice.kv_bits))
        self._drafter.setText(self._drafter_words(choice.drafter))
        self.preset.show_options([(one.id, one.name) for one in self._planner.presets.all])
        self.preset.choose(self._planner.presets.get(choice.preset).id)
        self._show_facts()
        self._estimate.begin(self._ask_memory)

    def _receive(self, event: Event) -> None:
        """A model that could not be read, as one that was still imported, is there."""
        if isinstance(event, ModelLoaded) and event.facts.target == self.target and self.isVisible():
            self.show_model(self.target)

    def stop(self) -> None:
        """Ask nothing more."""
        self._inspection.drop()
        self._estimate.drop()

    def _drafter_words(self, drafter: str) -> str:
        if drafter != AUTOMATIC:
            return drafter_name(drafter)
        is_used = self.target == self._planner.target
        return f"{UNDER_AUTOMATIC} ({drafter_name(self._planner.resolve(AUTOMATIC))})" if is_used else UNDER_AUTOMATIC

    def _show_facts(self) -> None:
        own = self.facts.context_length if self.facts else 0
        self.context.setPlaceholderText(write_count(own) if own else "its own")
        self.inspected.emit(self.facts)

    async def _inspect(self) -> None:
        target = self.target
        try:
            self.facts = await ask(self._bridge, lambda request_id: Inspect(request_id, target), ModelFacts)
            self.context_row.set_problem("")
        except RefusedError as error:
            self.context_row.set_problem(await reason_of(target, error))
        self._show_facts()
        self._estimate.begin(self._ask_memory)

    async def _ask_memory(self) -> None:
        choice, target = self.choice, self.target
        drafter = self._planner.resolve(choice.drafter, target)
        own = self.facts.context_length if self.facts else 0
        context_length = min(choice.context_length or own, own or MOST_CONTEXT)  # a longer one is not used
        if not context_length:
            return
        kv = KvScheme(choice.kv_bits)
        try:
            estimate = await ask(
                self._bridge,
                lambda request_id: EstimateMemory(request_id, target, drafter, context_length, 1, kv),
                MemoryEstimate,
            )
        except RefusedError as error:
            reason = await reason_of(target, error)
            is_told = reason == self.context_row.problem.text()
            self.bits_row.set_problem(reason if choice.kv_bits and not is_told else "")
            self.context_row.set_sentence("" if choice.kv_bits or is_told else reason)
            return
        self.bits_row.set_problem("")
        self.context_row.set_sentence(memory_words(estimate))
        self.context_row.set_problem(length_words(choice.context_length, self.facts))

    def _change(self, **values: Any) -> None:
        self._settings.change_model(self.target, replace(self.choice, **values))

    def _ask_drafters(self) -> None:
        self.drafters_asked.emit(self.target)


def memory_words(estimate: MemoryEstimate) -> str:
    """What one reply that fills the context needs, of what is allowed."""
    needed = needed_bytes(estimate)
    allowed = estimate.limit_bytes or estimate.available_bytes
    parts = [f"{write_bytes(estimate.weight_bytes)} of weights"]
    if estimate.drafter_bytes:
        parts.append(f"{write_bytes(estimate.drafter_bytes)} of the drafter")
    parts.append(f"{write_bytes(estimate.kv_bytes)} for the context")
    if estimate.working_bytes:
        parts.append(f"{write_bytes(estimate.working_bytes)} to read prompts with")
    if needed > allowed:
        return (
            f"Needs about {write_bytes(needed)}; {write_bytes(allowed)} is allowed. "
            "Choose a shorter context or fewer cache bits."
        )
    return f"Needs about {write_bytes(needed)} of {write_bytes(allowed)}: {', '.join(parts)}, for one reply."


def length_words(chosen: int, facts: ModelFacts | None) -> str:
    """Why a context is not used as it was chosen; "" where it is."""
    if facts is None or chosen <= facts.context_length:
        return ""
    return f"The model reads {write_count(facts.context_length, 'tokens')} at most; that is used."


def _beside(*widgets: QWidget) -> QWidget:
    holder = QWidget()
    line = QHBoxLayout(holder)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(12)
    for widget in widgets:
        line.addWidget(widget)
    holder.setFocusProxy(widgets[-1])
    return holder
