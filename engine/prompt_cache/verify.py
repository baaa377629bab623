"""Reads every byte of a cache's folder and says what is wrong with it; changes nothing."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from engine.amounts import write_count
from engine.prompt_cache.disk import Disk, explain
from engine.prompt_cache.entries import EntryKey
from engine.prompt_cache.entry_file import EntryFileError, ForeignFileError
from engine.prompt_cache.folder import FOLDER_IN_PLACE, Folder, Scan
from engine.prompt_cache.index import FILE_NAME, DamagedIndexError, NewerIndexError, read_index

_MISSING = "Its file is gone, and the index lists it."


@dataclass(frozen=True, slots=True)
class Verification:
    """What a folder holds; faults as (file below the root, sentence)."""

    num_entries: int = 0  # whole and right
    num_bytes: int = 0  # of them
    faults: tuple[tuple[str, str], ...] = ()  # files damaged, unreadable or gone, the index among them
    left_alone: tuple[tuple[str, str], ...] = ()  # another program's, or a newer version's
    num_temporary: int = 0  # half written, by a program that runs or was ended
    num_unlisted: int = 0  # entries that the index does not know
    num_unreachable: int = 0  # entries that are whole, and to which no whole ones lead

    @property
    def is_clean(self) -> bool:
        return not self.faults and not self.num_unreachable


@dataclass(slots=True)
class _Findings:
    """What has been found so far; `whole` has each entry's first position."""

    whole: dict[EntryKey, int] = field(default_factory=dict)
    num_bytes: int = 0
    faults: list[tuple[str, str]] = field(default_factory=list)
    left_alone: list[tuple[str, str]] = field(default_factory=list)
    foreign: set[EntryKey] = field(default_factory=set)


def verify(root: Path, progress: Callable[[int, int], None] = lambda done, total: None) -> Verification:
    """Check all entry files and the index; `progress` hears bytes read and to be read. OSError where root is none."""
    folder, found = Folder(root, Disk()), _Findings()
    scan = folder.scan()
    num_read, total = 0, sum(scan.num_bytes.values())
    for key, size in scan.num_bytes.items():
        _read(folder, key, found)
        num_read += size
        progress(num_read, total)
    found.faults += [(_name_of(key), FOLDER_IN_PLACE) for key in scan.blocked]
    return Verification(
        len(found.whole),
        found.num_bytes,
        num_unlisted=_compare_index(root, scan, found),
        faults=tuple(found.faults),
        left_alone=tuple(found.left_alone),
        num_temporary=len(scan.temporary),
        num_unreachable=len(found.whole.keys() - _reachable(found)),
    )


def sentences(found: Verification) -> list[str]:
    """What was found, for a terminal."""
    lines = [f"{name}: {text}" for name, text in (*found.faults, *found.left_alone)]
    if found.num_unreachable:
        entries = write_count(found.num_unreachable, "entry", "entries")
        lines.append(f"Nothing leads to {entries} any more: what stood before is damaged or gone.")
    if found.num_unlisted:
        entries = write_count(found.num_unlisted, "entry", "entries")
        lines.append(f"The index does not know {entries} yet; the next start of Slipstream lists them.")
    if not found.is_clean:
        lines.append("`slipstream-engine cache prune` removes what cannot be used.")
    whole = write_count(found.num_entries, "whole entry", "whole entries")
    return [*lines, f"{whole}, {write_count(len(found.faults), 'fault')}."]


def _read(folder: Folder, key: EntryKey, found: _Findings) -> None:
    try:
        header, _ = folder.read(key)
        found.whole[key] = header.entry.first
        found.num_bytes += header.num_bytes
    except FileNotFoundError:
        pass  # its writer removed it meanwhile
    except ForeignFileError as error:
        found.left_alone.append((_name_of(key), str(error)))
        found.foreign.add(key)
    except EntryFileError as error:
        found.faults.append((_name_of(key), str(error)))
    except OSError as error:
        found.faults.append((_name_of(key), explain(error)))


def _compare_index(root: Path, scan: Scan, found: _Findings) -> int:
    """Note what the index lists in vain; returns how many entries it does not know."""
    listed = _listed_keys(root, found)
    present = {*scan.num_bytes, *scan.blocked}
    gone = [key for key in listed - present if not os.path.lexists(root / _name_of(key))]  # not written since
    found.faults += sorted((_name_of(key), _MISSING) for key in gone)
    return len(scan.num_bytes.keys() - listed)


def _listed_keys(root: Path, found: _Findings) -> set[EntryKey]:
    try:
        return set(read_index(root / FILE_NAME).entries)
    except NewerIndexError as error:
        found.left_alone.append((FILE_NAME, f"It was written by a newer program ({error})."))
    except (DamagedIndexError, sqlite3.Error) as error:
        found.faults.append((FILE_NAME, f"It cannot be read ({error})."))
    return set()


def _reachable(found: _Findings) -> set[EntryKey]:
    """What a path of pages from the first token leads to; files that are left alone may be part of one."""
    pages: dict[tuple[str, str], list[EntryKey]] = {}
    for key in (*found.whole, *found.foreign):
        if not key.is_checkpoint:
            pages.setdefault((key.stream, key.start), []).append(key)
    reached = [key for key, first in found.whole.items() if first == 0 and not key.is_checkpoint]
    reached += found.foreign
    places = {(key.stream, key.end) for key in reached}
    waiting = list(places)
    while waiting:
        for key in pages.pop(waiting.pop(), ()):
            reached.append(key)
            waiting.append((key.stream, key.end))
            places.add((key.stream, key.end))
    return {*reached, *_standing(found.whole, places)}


def _standing(keys: Iterable[EntryKey], places: set[tuple[str, str]]) -> set[EntryKey]:
    return {key for key in keys if key.is_checkpoint and (key.stream, key.end) in places}


def _name_of(key: EntryKey) -> str:
    return f"{key.stream}/{key.start}-{key.end}.safetensors"
