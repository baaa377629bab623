"""What a model on this computer does at the moment, by what the chooser of models knows."""

from __future__ import annotations

from app.models.chooser import ModelChooser
from app.models.state import State

IS_LOADED = "It is loaded. Eject it first."
IS_LOADING = "It is being loaded. Stop the load first."
_STATES = {State.LOADING: "Loading", State.LOADED: "Loaded"}


def state_of(target: str, chooser: ModelChooser) -> str:
    """ "Loaded", or what it waits for, as a row says it; "" where it is not in memory nor on its way there."""
    if target == chooser.target and chooser.is_waiting:
        return chooser.words.rstrip(".")
    if is_leaving(target, chooser):
        return f"Loaded, until {chooser.replies_end}"
    return _STATES.get(chooser.state, "") if target == chooser.target else ""


def hold_of(target: str, chooser: ModelChooser) -> str:
    """Why its files cannot be deleted now, as a sentence; "" where nothing holds them."""
    if is_leaving(target, chooser):
        return f"It is loaded until {chooser.replies_end}."
    if target != chooser.target:
        return ""
    if chooser.is_loading:
        return IS_LOADING
    return IS_LOADED if chooser.is_loaded else ""


def is_leaving(target: str, chooser: ModelChooser) -> bool:
    """Whether it answers, and goes when the replies end."""
    if target == chooser.target:
        return chooser.state is State.LEAVING
    return chooser.has_in_memory(target)
