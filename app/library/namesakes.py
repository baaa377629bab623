"""Models of the same name and quantisation, told from each other by where they lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from app.library.found_model import FoundModel
from app.shown_paths import write_place


def places_of_namesakes(models: Iterable[FoundModel]) -> dict[str, str]:
    """By target, of models that have a namesake: the repository or the folder above, or the whole path at need.

    Of one that is gone its own sentence says it.
    """
    groups: dict[tuple[str, str], list[FoundModel]] = {}
    for model in models:
        groups.setdefault((model.name.casefold(), model.quantisation), []).append(model)
    found: dict[str, str] = {}
    for group in groups.values():
        if len(group) > 1:
            found |= _places_of([model for model in group if model.folder and not model.is_gone])
    return found


def _places_of(group: Sequence[FoundModel]) -> dict[str, str]:
    near = {model.target: model.repo_id or write_place(Path(model.target).parent) for model in group}
    if len(set(near.values())) == len(near):
        return near
    return {model.target: write_place(Path(model.target)) for model in group}
