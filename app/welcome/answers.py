"""What the first page offers to answer with: the packaged model, then others that are on this computer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.figures import NO_BREAK, write_bytes
from app.library.found_model import FoundModel
from app.library.places import Kind
from app.models.chooser import ModelChooser
from app.models.names import STARTER_NAME
from app.models.state import State
from engine.messages import STARTER

STARTER_WORDS = "Came with Slipstream. Quick, for trying things out; often wrong on facts."
MOST = 4  # of those found; the page of models has the others
_STATES = {State.LOADED: "Loaded", State.LEAVING: "Loaded", State.LOADING: "Loading", State.FAILED: "Not loaded"}


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    target: str
    name: str
    quantisation: str
    words: str
    at_end: str = ""
    is_chosen: bool = False
    is_loaded: bool = False


def answers_of(chooser: ModelChooser, models: Sequence[FoundModel]) -> tuple[ModelAnswer, ...]:
    """The one that answers is always among them."""
    usable = [model for model in models if not model.refusal and model.target != STARTER]
    first = [model for place, model in enumerate(usable) if place < MOST or model.target == chooser.target]
    packaged = next((model for model in models if model.target == STARTER), None)
    quantisation = packaged.quantisation if packaged is not None else ""
    answers = [_answer(chooser, STARTER, STARTER_NAME, quantisation, STARTER_WORDS)]
    answers += [_found(chooser, model) for model in first]
    if chooser.target not in {answer.target for answer in answers}:
        answers.append(_answer(chooser, chooser.target, chooser.name, "", chooser.target))
    return tuple(answers)


def _found(chooser: ModelChooser, model: FoundModel) -> ModelAnswer:
    place = model.place[:1].lower() + model.place[1:] if model.kind == Kind.ADDED else model.place
    where = place if model.kind == Kind.IMPORTED else f"Found in the {place}"
    words = f"{where}. No second download."
    return _answer(chooser, model.target, model.name, model.quantisation, words, cost_words(chooser, model.num_bytes))


def cost_words(chooser: ModelChooser, num_bytes: int) -> str:
    """Its size, and how long it loads where a load was timed here."""
    if not num_bytes or not chooser.loading.rate:
        return write_bytes(num_bytes) if num_bytes else ""
    seconds = max(1, round(num_bytes / chooser.loading.rate))
    return f"{write_bytes(num_bytes)}, about {seconds:,}{NO_BREAK}s to load"


def _answer(
    chooser: ModelChooser, target: str, name: str, quantisation: str, words: str, cost: str = ""
) -> ModelAnswer:
    if target != chooser.target:
        return ModelAnswer(target, name, quantisation, words, cost)
    state = _STATES.get(chooser.state, cost)
    return ModelAnswer(target, name, chooser.quantisation or quantisation, words, state, True, chooser.is_loaded)
