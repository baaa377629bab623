"""Every drafter by name; a drafter of a new kind is one file beside this one and one line here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.drafters.base import Drafter
from engine.drafters.ngram import load_ngram
from engine.drafters.none import load_none
from engine.messages import ModelFacts

DRAFTERS: dict[str, Callable[[Path | None, ModelFacts], Drafter]] = {"none": load_none, "ngram": load_ngram}


class DrafterError(Exception):
    """A drafter cannot be had; the text is the sentence for the user."""


def check_drafter(name: str) -> None:
    """Raise DrafterError for a name that is not in the table."""
    if name not in DRAFTERS:
        raise DrafterError(f"unknown drafter {name!r}; choose one of: {', '.join(DRAFTERS)}")


def load_drafter(name: str, facts: ModelFacts) -> Drafter:
    """Load a drafter of the table for a target."""
    return DRAFTERS[name](None, facts)
