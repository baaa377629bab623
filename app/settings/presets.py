"""Presets: named ways to answer, a system prompt and how replies are sampled; kept in the data folder."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.kept_file import SENSELESS, set_aside, write_kept
from app.settings.preferences import decode
from app.shown_paths import write_place
from engine.messages import Sampling

logger = logging.getLogger(__name__)
FILE_NAME = "presets.json"
DEFAULT_ID = "default"


@dataclass(frozen=True, slots=True)
class Preset:
    """What None stands for is as the model says: its generation config, or what is usual where it has none."""

    id: str
    name: str
    system_prompt: str = ""
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None  # None: another one for each reply
    stops: tuple[str, ...] = ()
    max_tokens: int | None = None

    def sampling(self, base: Sampling) -> Sampling:
        """How a reply is sampled where the model asks for `base`; of its seed only one that is chosen here is set."""
        chosen = {name: getattr(self, name) for name in SAMPLED if getattr(self, name) is not None}
        return replace(base, stops=self.stops or base.stops, **chosen)


DEFAULT = Preset(DEFAULT_ID, "Default")
SAMPLED = tuple(one.name for one in fields(Preset) if one.name not in ("id", "name", "system_prompt", "stops"))


@dataclass(frozen=True, slots=True)
class _File:
    presets: tuple[Preset, ...]
    used: tuple[str, ...] = ()  # ids of those that chats went on with, the latest first


class Presets(QObject):
    """Owns them, in the order in which they were made; the default one is always there, and the first."""

    changed = Signal()
    used = Signal()  # a chat goes on with another one than the last
    trouble = Signal(str)  # a sentence: a change is not kept

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = folder / FILE_NAME
        self.problem = ""  # what was set aside at the start, for the user
        self._deleted: tuple[int, Preset] | None = None
        self._used: list[str] = []
        self._presets = self._read()

    @property
    def all(self) -> tuple[Preset, ...]:
        return tuple(self._presets)

    @property
    def latest(self) -> tuple[Preset, ...]:
        """The user's own, the one that was used last first, and behind them those that never were."""
        places = {preset_id: place for place, preset_id in enumerate(self._used)}
        own = (one for one in self._presets if one.id != DEFAULT_ID)
        return tuple(sorted(own, key=lambda one: places.get(one.id, len(places))))

    def find(self, preset_id: str) -> Preset | None:
        return next((one for one in self._presets if one.id == preset_id), None)

    def get(self, preset_id: str) -> Preset:
        """The default one in place of one that is gone."""
        return self.find(preset_id) or self.find(DEFAULT_ID) or DEFAULT

    def add(self, name: str = "New preset") -> Preset:
        return self._insert(Preset(_new_id(), self._free_name(name)))

    def duplicate(self, preset_id: str) -> Preset:
        """A copy under a name of its own; of the default one where this is gone."""
        original = self.get(preset_id)
        return self._insert(replace(original, id=_new_id(), name=self._free_name(f"{original.name} copy")))

    def change(self, preset: Preset) -> None:
        """Keep it in place of the one with its id; nothing where that is gone."""
        if self.find(preset.id) not in (None, preset):
            self._take([preset if one.id == preset.id else one for one in self._presets])

    def delete(self, preset_id: str) -> bool:
        """False for the default one, which stays; `undo_deletion` has another back."""
        preset = self.find(preset_id)
        if preset is None or preset_id == DEFAULT_ID:
            return False
        self._deleted = (self._presets.index(preset), preset)
        self._take([one for one in self._presets if one is not preset])
        return True

    def undo_deletion(self) -> Preset | None:
        """Have back, at its place, what was deleted last; None where nothing was."""
        if self._deleted is None:
            return None
        (place, preset), self._deleted = self._deleted, None
        self._take([*self._presets[:place], preset, *self._presets[place:]])
        return preset

    def use(self, preset_id: str) -> None:
        """Note that a chat goes on with it."""
        if self.find(preset_id) is not None and self._used[:1] != [preset_id]:
            known = {one.id for one in self._presets}
            self._used = [preset_id, *(one for one in self._used if one in known - {preset_id})]
            self._write()
            self.used.emit()

    def _insert(self, preset: Preset) -> Preset:
        self._take([*self._presets, preset])
        return preset

    def _take(self, presets: list[Preset]) -> None:
        self._presets = presets
        self._write()
        self.changed.emit()

    def _write(self) -> None:
        if not write_kept(self._path, _File(tuple(self._presets), tuple(self._used))):
            self.trouble.emit("The presets could not be saved. Free some space, or make the data folder writable.")

    def _free_name(self, wanted: str) -> str:
        taken, number = {one.name for one in self._presets}, 2
        name = wanted
        while name in taken:
            name, number = f"{wanted} {number}", number + 1
        return name

    def _read(self) -> list[Preset]:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            presets = [read_preset(one) for one in found["presets"]]
            if len({one.id for one in presets}) < len(presets):
                raise ValueError("two presets have one id")
            self._used = [str(one) for one in found.get("used", ())]
        except FileNotFoundError:
            presets = []
        except SENSELESS as error:
            logger.warning("%s was not read: %s", self._path.name, error)
            presets = self._set_aside()
        default = next((one for one in presets if one.id == DEFAULT_ID), DEFAULT)
        return [default, *(one for one in presets if one.id != DEFAULT_ID)]

    def _set_aside(self) -> list[Preset]:
        """Keep a damaged file under another name; returns the presets in it that make sense."""
        sound = _sound_presets(self._path)
        place = write_place(set_aside(self._path))
        self.problem = f"The presets' file was damaged and set aside as {place}. {_num_read(len(sound))}"
        write_kept(self._path, _File(tuple(sound)))
        return sound


def read_preset(found: Mapping[str, Any]) -> Preset:
    """From what JSON has of it; raises KeyError, TypeError or ValueError where any of that makes no sense."""
    whole = {"id": found["id"], "name": found["name"]}
    preset = decode(Preset, {**asdict(DEFAULT), **whole, **found})
    values = json.loads(json.dumps(asdict(preset)))
    wrong = [name for name in values if name in found and found[name] != values[name]]
    if wrong or not preset.id:
        raise ValueError(f"a preset's {', '.join(wrong) or 'id'} makes no sense")
    return preset


def _sound_presets(path: Path) -> list[Preset]:
    sound: dict[str, Preset] = {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["presets"]
        for one in found if isinstance(found, list) else ():
            try:
                preset = read_preset(one)
                sound.setdefault(preset.id, preset)
            except SENSELESS:
                continue
    except SENSELESS:
        return []
    return list(sound.values())


def _num_read(num_sound: int) -> str:
    if not num_sound:
        return "None of its presets could be read."
    return f"{num_sound} of its presets could be read." if num_sound > 1 else "One of its presets could be read."


def _new_id() -> str:
    return secrets.token_hex(8)
