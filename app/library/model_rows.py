"""The rows of the models on this computer: captions, models and drafters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from app.figures import write_amount, write_bytes
from app.library.found_model import FoundModel
from app.library.holding import state_of
from app.library.namesakes import places_of_namesakes
from app.library.places import Kind
from app.library.verdict import NO_VERDICT, Verdict
from app.models.chooser import ModelChooser
from app.system.machine import PLACE

HERE = f"On {PLACE}"
CANNOT_BE_READ = Verdict("Cannot be read", is_fit=False)
GONE = Verdict("Gone", is_fit=False)


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model, or without one a caption with words at its end."""

    model: FoundModel | None
    name: str
    quantisation: str = ""
    line: str = ""  # under the name: state and place, or why it cannot be used
    size: str = ""
    verdict: Verdict = field(default=NO_VERDICT)
    is_first: bool = True  # of its card
    is_last: bool = True

    @property
    def key(self) -> str:
        return self.model.target if self.model is not None else f"\0{self.name}"

    @property
    def spoken(self) -> str:
        """The row in words, for a screen reader."""
        title = f"{self.name} {self.quantisation}".strip()
        return ", ".join(part.rstrip(".") for part in (title, self.line, self.size, self.verdict.sentence) if part)


def make_rows(
    models: Sequence[FoundModel],
    drafters: Sequence[FoundModel],
    words: str,
    chooser: ModelChooser,
    verdict_of: Callable[[FoundModel], Verdict],
) -> tuple[ModelRow, ...]:
    """Models first, then what only drafts; with words, those that have all of them."""
    wanted = words.casefold().split()
    shown = [model for model in models if _has(model, wanted)]
    drafting = [model for model in drafters if _has(model, wanted)]
    rows = [ModelRow(None, HERE, size=_sum_of(models, drafters))] if shown else []
    where = places_of_namesakes((*models, *drafters))

    def beginning(model: FoundModel) -> tuple[str, ...]:
        return state_of(model.target, chooser), where.get(model.target, "")

    rows += _card(_row_of(model, beginning(model), verdict_of(model)) for model in shown)
    rows += [ModelRow(None, "Drafters")] if drafting else []
    rows += _card(_row_of(model, (where.get(model.target, ""),), NO_VERDICT) for model in drafting)
    return tuple(rows)


def _has(model: FoundModel, wanted: Sequence[str]) -> bool:
    told = (model.name, model.quantisation, model.place, model.folder, model.target, model.model_type)
    text = " ".join(told).casefold()
    return all(word in text for word in wanted)


def _sum_of(models: Sequence[FoundModel], drafters: Sequence[FoundModel]) -> str:
    """ "43.8 GB in 3 folders"."""
    here = [model for model in (*models, *drafters) if not model.is_gone]
    places = {(model.kind, model.place) for model in here if model.kind != Kind.STARTER}
    if not places:
        return write_bytes(sum(model.num_bytes for model in here))
    return f"{write_bytes(sum(model.num_bytes for model in here))} in {write_amount(len(places), 'folder')}"


def _row_of(model: FoundModel, beginning: tuple[str, ...], verdict: Verdict) -> ModelRow:
    """`beginning` is what its line begins with."""
    told = model.place
    if model.refusal:
        told, verdict = model.refusal, GONE if model.is_gone else CANNOT_BE_READ
    elif not verdict.is_fit:  # the whole sentence finds room where those that cannot be read have theirs
        told = verdict.sentence
        needed, is_of_size, _ = told.partition(";")
        verdict = replace(verdict, sentence=needed) if is_of_size else CANNOT_BE_READ
    line = ". ".join(part for part in (*beginning, told) if part)
    size = write_bytes(model.num_bytes) if model.num_bytes else ""
    return ModelRow(model, model.name, model.quantisation, line, size, verdict)


def _card(rows: Iterable[ModelRow]) -> list[ModelRow]:
    listed = list(rows)
    last = len(listed) - 1
    return [replace(row, is_first=not place, is_last=place == last) for place, row in enumerate(listed)]
