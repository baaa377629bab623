"""Where drafters for a model are looked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.library.library import Library


@dataclass(frozen=True, slots=True)
class Place:
    """Where something may lie that drafts, and what it is called before it is known."""

    path: str
    name: str


def places_of(library: Library, folders: Iterable[str], target: str, target_bytes: int) -> tuple[Place, ...]:
    """Where drafters for a target may lie: every drafter that was found, each smaller model, what the user added."""
    smaller = [one for one in library.models if 0 < one.num_bytes < target_bytes and one.target != target]
    places = [Place(one.target, one.name) for one in (*library.drafters, *smaller)]
    places += [Place(folder, folder.rstrip("/").rsplit("/", 1)[-1]) for folder in folders]
    return tuple({place.path: place for place in reversed(places)}.values())[::-1]
