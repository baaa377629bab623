"""The rows of the model chip's popover: what answers, what else is on this computer, and the chat's own choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.figures import write_bytes
from app.library.found_model import FoundModel
from app.models.chooser import ModelChooser
from app.models.state import State
from app.popover.rows import LINE, PopoverRow

STATES = {
    State.AWAY: "Not loaded",
    State.LOADING: "Loading",
    State.LOADED: "Loaded",
    State.LEAVING: "Leaving",
    State.FAILED: "Not loaded",
}


@dataclass(frozen=True, slots=True)
class ChatDeeds:
    """What else the popover does; where there is no page of models there is no row for it."""

    preset: str
    choose_preset: Callable[[], object]
    context_length: int  # tokens; 0 is unknown
    choose_context: Callable[[], object]
    show_models: Callable[[], object] | None = None
    models_keys: str = ""


def model_rows(
    chooser: ModelChooser, models: Sequence[FoundModel], deeds: ChatDeeds, refusal_of: Callable[[FoundModel], str]
) -> list[PopoverRow]:
    """`refusal_of` says why a model cannot be used, "" where it can."""
    current = PopoverRow(
        chooser.name or "No model",
        lambda: chooser.choose(chooser.target),
        chooser.quantisation,
        STATES[chooser.state],
        "target" if chooser.is_loaded else "ink3",
        is_chosen=True,
    )
    others = [_row_of(chooser, model, refusal_of(model)) for model in models if model.target != chooser.target]
    waits = [PopoverRow(chooser.wait_words, is_note=True)] if others and chooser.wait_words else []
    return [current, *others, *waits, LINE, *_choices(deeds), *_ends(chooser, deeds)]


def _row_of(chooser: ModelChooser, model: FoundModel, reason: str) -> PopoverRow:
    """One that leaves when the replies end has no size: choosing it loads nothing."""
    target, is_here = model.target, chooser.has_in_memory(model.target)
    end = STATES[State.LOADED] if is_here else write_bytes(model.num_bytes) if model.num_bytes else ""
    tone, reason = ("target", "") if is_here else ("ink3", reason)
    return PopoverRow(model.name, lambda: chooser.choose(target), model.quantisation, end, tone, reason=reason)


def _choices(deeds: ChatDeeds) -> list[PopoverRow]:
    rows = [PopoverRow("Preset", deeds.choose_preset, at_end=deeds.preset, has_more=True)]
    if deeds.context_length:
        context = f"{deeds.context_length:,}"
        rows.append(PopoverRow("Context", deeds.choose_context, at_end=context, has_more=True))
    return rows


def _ends(chooser: ModelChooser, deeds: ChatDeeds) -> list[PopoverRow]:
    rows = []
    if chooser.can_eject:
        rows.append(PopoverRow("Eject", chooser.eject))
    if chooser.is_loading:
        rows.append(PopoverRow("Stop loading", chooser.stop))
    if deeds.show_models is not None:
        rows.append(PopoverRow("All models…", deeds.show_models, at_end=deeds.models_keys))
    return [LINE, *rows] if rows else []
