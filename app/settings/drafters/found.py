"""The part of the library that drafters are looked for in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance


class Found(Protocol):
    """A model or drafter on the disk."""

    @property
    def target(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def quantisation(self) -> str: ...
    @property
    def num_bytes(self) -> int: ...


class Library(Protocol):
    """What was found; `changed` tells that it is something else."""

    @property
    def changed(self) -> SignalInstance: ...
    @property
    def models(self) -> Sequence[Found]: ...
    @property
    def drafters(self) -> Sequence[Found]: ...


class NoLibrary(QObject):
    """Nothing is looked for."""

    changed = Signal()
    models: Sequence[Found] = ()
    drafters: Sequence[Found] = ()


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
