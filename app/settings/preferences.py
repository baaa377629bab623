"""Preferences: everything that a user chose for the program as a whole, kept in the data folder."""

from __future__ import annotations

import json
import logging
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from PySide6.QtCore import QObject, Signal

from app.kept_file import SENSELESS, set_aside, write_kept
from app.shown_paths import write_place
from engine.messages import STARTER

FILE_NAME = "settings.json"
IS_SOUND = "is_sound"  # in the metadata of a field: whether it can hold a value of its type
AUTOMATIC = "automatic"  # the drafter that measured best here; one without weights where none was measured

_MOST = 2**31 - 1  # of a number that a control shows
logger = logging.getLogger(__name__)
_NO_VALUE = (KeyError, TypeError, ValueError)
Record = TypeVar("Record")
T = TypeVar("T")


def _between(default: int, least: int, most: int) -> Any:
    """A field that holds no other numbers."""
    return field(default=default, metadata={IS_SOUND: lambda value: least <= value <= most})


def _one_of(default: T, *others: T) -> Any:
    """A field that holds nothing else."""
    return field(default=default, metadata={IS_SOUND: lambda value: value in (default, *others)})


@dataclass(frozen=True, slots=True)
class General:
    opens_at_login: bool = False
    reopens_tabs: bool = True
    notifies: bool = True  # when a reply ends in the background
    unload_minutes: int = _between(
        30, 0, _MOST // 60_000
    )  # without a reply, after which the loaded model is let go; 0 never


@dataclass(frozen=True, slots=True)
class Looks:
    scheme: str = _one_of("system", "light", "dark")
    text_size: int = _between(100, 50, 300)  # %
    column_width: int = _between(720, 100, 10_000)  # of the transcript
    reduces_motion: bool = False
    tints: bool = False  # drafted text


@dataclass(frozen=True, slots=True)
class CacheChoice:
    is_on: bool = True
    budget_bytes: int = _between(0, 0, 2**50)  # on disk; 0 is the default


@dataclass(frozen=True, slots=True)
class StatisticsChoice:
    keep_days: int = _between(30, 0, 100_000)
    live_seconds: int = _between(2, 1, 3600)  # that a live rate is over


@dataclass(frozen=True, slots=True)
class LibraryChoice:
    folders: tuple[str, ...] = ()  # in which models are looked for, beside the usual ones
    is_offline: bool = False
    endpoint: str = ""  # of the hub; "" is HF_ENDPOINT, or the public one
    num_tabs: int = _between(1, 1, 64)  # that are to run at once, for what fits


@dataclass(frozen=True, slots=True)
class UpdateChoice:
    is_on: bool = False  # whether the latest release is asked for once a day


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What holds for chats with one model where they say nothing else."""

    context_length: int = _between(0, 0, _MOST)  # tokens; 0 is the model's own
    kv_bits: int = _one_of(0, 4, 8)
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
    updates: UpdateChoice = UpdateChoice()
    drafter_folders: tuple[str, ...] = ()  # that the user added, wherever they lie
    models: Mapping[str, ModelChoice] = field(default_factory=dict)  # by target
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by action: shortcuts that are not its own

    def model(self, target: str) -> ModelChoice:
        return self.models.get(target, ModelChoice())


class Settings(QObject):
    """Owns the preferences: read once, written with every change."""

    changed = Signal(object, object)  # Preferences before and after
    trouble = Signal(str)  # a sentence: a change is not kept

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = folder
        self._path = folder / FILE_NAME
        self.problem = ""  # what was set aside at the start, for the user
        self.preferences = self._read()

    def change(self, preferences: Preferences) -> None:
        """Keep other preferences and tell of them; acts at once."""
        before = self.preferences
        if preferences != before:
            self.preferences = preferences
            if not write_kept(self._path, preferences):
                self.trouble.emit("The settings could not be saved. Free some space, or make the data folder writable.")
            self.changed.emit(before, preferences)

    def change_model(self, target: str, choice: ModelChoice) -> None:
        self.change(replace(self.preferences, models={**self.preferences.models, target: choice}))

    def _read(self) -> Preferences:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            if not isinstance(found, dict):
                raise ValueError("it holds no settings")
        except FileNotFoundError:
            return Preferences()
        except SENSELESS as error:
            logger.warning("%s was not read: %s", self._path.name, error)
            place = write_place(set_aside(self._path))
            self.problem = f"The settings' file was damaged and set aside as {place}. The usual settings are used."
            return Preferences()
        return decode(Preferences, found)


def decode(kind: type[Record], found: Any) -> Record:
    """A record of this kind from what JSON had of it; a field that is missing or makes no sense keeps its default."""
    assert is_dataclass(kind)
    hints = get_type_hints(kind)
    values = {}
    for one in fields(kind):
        try:
            value = _decode(hints[one.name], found[one.name])
        except _NO_VALUE:
            continue
        if one.metadata.get(IS_SOUND, _is_any)(value):
            values[one.name] = value
    return kind(**values)


def _decode(hint: Any, found: Any) -> Any:
    if is_dataclass(hint):
        return decode(hint, found)  # type: ignore[arg-type]
    if get_origin(hint) is tuple and isinstance(found, (list, tuple)):
        return tuple(_sound(get_args(hint)[0], enumerate(found)).values())
    if get_origin(hint) is not None and issubclass(get_origin(hint), Mapping):
        return _sound(get_args(hint)[1], ((str(name), one) for name, one in dict(found).items()))
    if isinstance(hint, types.UnionType):
        kinds = [one for one in get_args(hint) if one is type(found)]
        return _decode(kinds[0] if kinds else get_args(hint)[0], found)
    if hint is float and type(found) is int:
        return float(found)
    if type(found) is not hint:
        raise ValueError(f"{found!r} is no {hint}")
    return found


def _sound(hint: Any, found: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Without what makes no sense: it costs the others nothing."""
    values = {}
    for name, one in found:
        try:
            values[name] = _decode(hint, one)
        except _NO_VALUE:
            continue
    return values


def _is_any(value: object) -> bool:
    return True
