"""Preferences: everything that a user chose for the program as a whole, kept in the data folder."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from PySide6.QtCore import QObject, Signal

from app.kept_file import read_kept, write_kept
from engine.messages import STARTER

FILE_NAME = "settings.json"
AUTOMATIC = "automatic"  # the drafter that measured best here; one without weights where none was measured

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class General:
    opens_at_login: bool = False
    reopens_tabs: bool = True
    notifies: bool = True  # when a reply ends in the background
    unload_minutes: int = 30  # without a reply, after which the loaded model is let go; 0 never


@dataclass(frozen=True, slots=True)
class Looks:
    scheme: str = "system"  # "system", "light" or "dark"
    text_size: int = 100  # %
    column_width: int = 720  # of the transcript
    reduces_motion: bool = False
    tints: bool = False  # drafted text


@dataclass(frozen=True, slots=True)
class CacheChoice:
    is_on: bool = True
    budget_bytes: int = 0  # on disk; 0 is the default


@dataclass(frozen=True, slots=True)
class StatisticsChoice:
    keep_days: int = 30
    live_seconds: int = 2  # that a live rate is over


@dataclass(frozen=True, slots=True)
class LibraryChoice:
    folders: tuple[str, ...] = ()  # in which models are looked for, beside the usual ones
    is_offline: bool = False
    endpoint: str = ""  # of the hub; "" is HF_ENDPOINT, or the public one


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What holds for chats with one model where they say nothing else."""

    context_length: int = 0  # tokens; 0 is the model's own
    kv_bits: int = 0
    drafter: str = AUTOMATIC  # or as Submit has it
    preset: str = ""  # id of the one that new chats begin with
    template: str = ""  # in place of the model's own


@dataclass(frozen=True, slots=True)
class Preferences:
    target: str = STARTER  # the model that chats go on with
    was_welcomed: bool = False  # the first message was sent
    general: General = General()
    looks: Looks = Looks()
    cache: CacheChoice = CacheChoice()
    statistics: StatisticsChoice = StatisticsChoice()
    library: LibraryChoice = LibraryChoice()
    drafter_folders: tuple[str, ...] = ()  # that the user added, wherever they lie
    models: Mapping[str, ModelChoice] = field(default_factory=dict)  # by target
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by action: shortcuts that are not its own

    def model(self, target: str) -> ModelChoice:
        return self.models.get(target, ModelChoice())


class Settings(QObject):
    """Owns the preferences: read once, written with every change."""

    changed = Signal(object, object)  # Preferences before and after

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = folder
        self._path = folder / FILE_NAME
        self.preferences = read_kept(self._path, lambda found: decode(Preferences, found), Preferences())

    def change(self, preferences: Preferences) -> None:
        """Keep other preferences and tell of them; acts at once."""
        before = self.preferences
        if preferences != before:
            self.preferences = preferences
            write_kept(self._path, preferences)
            self.changed.emit(before, preferences)

    def change_model(self, target: str, choice: ModelChoice) -> None:
        self.change(replace(self.preferences, models={**self.preferences.models, target: choice}))


def decode(kind: type[Record], found: Any) -> Record:
    """A record of this kind from what JSON had of it; a field that is missing or makes no sense keeps its default."""
    assert is_dataclass(kind)
    hints = get_type_hints(kind)
    values = {}
    for one in fields(kind):
        try:
            values[one.name] = _decode(hints[one.name], found[one.name])
        except (KeyError, TypeError, ValueError):
            continue
    return kind(**values)


def _decode(hint: Any, found: Any) -> Any:
    if is_dataclass(hint):
        return decode(hint, found)  # type: ignore[arg-type]
    if get_origin(hint) is tuple:
        return tuple(_decode(get_args(hint)[0], one) for one in found)
    if get_origin(hint) is not None and issubclass(get_origin(hint), Mapping):
        return {str(name): _decode(get_args(hint)[1], one) for name, one in dict(found).items()}
    if isinstance(hint, types.UnionType):
        kinds = [one for one in get_args(hint) if one is type(found)]
        return _decode(kinds[0] if kinds else get_args(hint)[0], found)
    if hint is float and type(found) is int:
        return float(found)
    if type(found) is not hint:
        raise ValueError(f"{found!r} is no {hint}")
    return found
