"""Every drafter by name; a drafter of a new kind is one file beside this one and one line here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.drafters.assistant.load import load_assistant
from engine.drafters.base import DrafterSource, DrafterStep, LoadDrafter
from engine.drafters.block.load import load_block
from engine.drafters.eagle3.load import load_eagle3
from engine.drafters.model import load_model_drafter
from engine.drafters.mtp.load import load_mtp
from engine.drafters.name import split_name
from engine.drafters.ngram import load_ngram
from engine.drafters.none import load_none
from engine.drafters.suffix import load_suffix
from engine.failure import clause
from engine.messages import ModelFacts
from engine.models.drafting.inspection import ITSELF, inspect_drafter
from engine.models.errors import DrafterError
from engine.models.locate import resolve_target


@dataclass(frozen=True, slots=True)
class DrafterKind:
    load: LoadDrafter
    has_path: bool = False  # named "kind:PATH"


AUTO, MODEL = "auto", "model"

DRAFTERS: dict[str, DrafterKind] = {
    "none": DrafterKind(load_none),
    "ngram": DrafterKind(load_ngram),
    "suffix": DrafterKind(load_suffix),
    AUTO: DrafterKind(lambda source: _load_found(source), has_path=True),  # finds out which of the following it is
    MODEL: DrafterKind(load_model_drafter, has_path=True),
    "assistant": DrafterKind(load_assistant, has_path=True),
    "dflash": DrafterKind(load_block, has_path=True),
    "dspark": DrafterKind(load_block, has_path=True),
    "eagle3": DrafterKind(load_eagle3, has_path=True),
    "mtp": DrafterKind(load_mtp, has_path=True),
}


def choices() -> str:
    """All names, as a user writes them."""
    return ", ".join(f"{kind}:PATH" if DRAFTERS[kind].has_path else kind for kind in DRAFTERS)


def check_drafter(name: str) -> None:
    """Raise DrafterError for a name that is not in the table, or lacks its path or has one too many."""
    kind, path = split_name(name)
    if kind not in DRAFTERS or bool(path) != DRAFTERS[kind].has_path:
        raise DrafterError(f"unknown drafter {name!r}; choose one of: {choices()}")


def load_drafter(name: str, source: DrafterSource) -> Iterator[DrafterStep]:
    """Load a drafter of the table for a target: yields Progress (request_id 0), then the drafter; raises ModelError."""
    return DRAFTERS[split_name(name)[0]].load(source)


def is_whole_model(name: str, target: ModelFacts, data_dir: Path) -> bool:
    """Whether a drafter is a model of its own, which other programs can draft with too; raises ModelError."""
    kind, path = split_name(name)
    return (_find_kind(path, target, data_dir) if kind == AUTO else kind) == MODEL


def _load_found(source: DrafterSource) -> Iterator[DrafterStep]:
    """Whatever kind of drafter lies at the path; a generator from the start, so that what fails is its load."""
    yield from DRAFTERS[_find_kind(source.path, source.target, source.data_dir)].load(source)


def _find_kind(path: str, target: ModelFacts, data_dir: Path) -> str:
    folder = resolve_target(path, data_dir)
    if not isinstance(folder, Path):
        return MODEL
    facts = inspect_drafter(path, folder, target)
    if facts.kind not in DRAFTERS or facts.refusal == ITSELF:
        raise DrafterError(f"nothing in {str(folder)!r} drafts for {target.name!r}: {clause(facts.refusal)}")
    return facts.kind
