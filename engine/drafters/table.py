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
from engine.models.drafting.inspection import inspect_drafter
from engine.models.errors import DrafterError
from engine.models.locate import resolve_target


@dataclass(frozen=True, slots=True)
class DrafterKind:
    load: LoadDrafter
    has_path: bool = False  # named "kind:PATH"


DRAFTERS: dict[str, DrafterKind] = {
    "none": DrafterKind(load_none),
    "ngram": DrafterKind(load_ngram),
    "suffix": DrafterKind(load_suffix),
    "auto": DrafterKind(lambda source: _load_found(source), has_path=True),  # finds out which of the following it is
    "model": DrafterKind(load_model_drafter, has_path=True),
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


def _load_found(source: DrafterSource) -> Iterator[DrafterStep]:
    """Whatever kind of drafter lies at the path."""
    folder = resolve_target(source.path, source.data_dir)
    if not isinstance(folder, Path):
        return load_model_drafter(source)
    facts = inspect_drafter(source.path, folder, source.target)
    if facts.kind not in DRAFTERS:
        raise DrafterError(f"nothing in {str(folder)!r} drafts: {facts.refusal} Choose another folder")
    return DRAFTERS[facts.kind].load(source)
