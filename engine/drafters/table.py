"""Every drafter by name; a drafter of a new kind is one file beside this one and one line here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.drafters.base import DrafterSource, DrafterStep, LoadDrafter
from engine.drafters.model import load_model_drafter
from engine.drafters.name import split_name
from engine.drafters.ngram import load_ngram
from engine.drafters.none import load_none
from engine.drafters.suffix import load_suffix
from engine.models.errors import DrafterError


@dataclass(frozen=True, slots=True)
class DrafterKind:
    load: LoadDrafter
    has_path: bool = False  # named "kind:PATH"


DRAFTERS: dict[str, DrafterKind] = {
    "none": DrafterKind(load_none),
    "ngram": DrafterKind(load_ngram),
    "suffix": DrafterKind(load_suffix),
    "model": DrafterKind(load_model_drafter, has_path=True),
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
