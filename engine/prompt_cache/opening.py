"""Opens the cache's folder: takes the lock, compares files with the index, and mends whichever is behind."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from engine.amounts import write_count, write_size
from engine.prompt_cache.disk import FOLDER_MODE, Disk, explain
from engine.prompt_cache.entries import EntryKey, Opened, Owner, SaveOwner, StoredEntry
from engine.prompt_cache.entry_file import DamagedFileError, EntryFileError, Header
from engine.prompt_cache.folder import Folder, Scan
from engine.prompt_cache.index import (
    FILE_NAME,
    DamagedIndexError,
    Index,
    NewerIndexError,
    damaged_path,
    open_index,
    read_index,
    set_aside,
)
from engine.prompt_cache.lock import HeldElsewhereError, Lock
from engine.prompt_cache.records import AddEntry, Contents, DropEntry, IndexChange

logger = logging.getLogger(__name__)

HELD_ELSEWHERE = "The prompt cache is in use by another program, so this one only reads it."
NEWER_INDEX = "The prompt cache was last used by a newer program, so this one only reads it."


@dataclass(slots=True)
class Opening:
    """An opened folder; without a lock nothing may be written to it, without an index only the files are kept."""

    folder: Folder
    opened: Opened
    lock: Lock | None = None
    index: Index | None = None
    left_alone: set[EntryKey] = field(default_factory=set)  # places of files that are not ours to replace or delete
    changes: list[IndexChange] = field(default_factory=list)  # by which the index becomes what `opened` says


def open_folder(root: Path, disk: Disk) -> Opening:
    """Open or make the folder; never fails: a folder without use is read-only, empty, and says why."""
    folder = Folder(root, disk)
    problems: list[str] = []
    lock: Lock | None = None
    try:
        lock = _take_lock(root, disk, problems)
        return _open(folder, disk, lock, problems)
    except OSError as error:
        if lock is not None:
            lock.release()
        return Opening(folder, Opened(is_read_only=True, problem=explain(error)))


def look_into(root: Path) -> Opened:
    """What a folder holds, though another program may be writing to it; changes nothing. OSError where root is none."""
    return _open(Folder(root, Disk()), Disk(), None, []).opened


def _take_lock(root: Path, disk: Disk, problems: list[str]) -> Lock | None:
    """None, and a problem, where the folder is there and can only be read."""
    try:
        root.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        with contextlib.suppress(PermissionError):
            root.chmod(FOLDER_MODE)
        return Lock(root, disk)
    except HeldElsewhereError:
        problems.append(HELD_ELSEWHERE)
    except OSError as error:
        if not root.is_dir():
            raise
        problems.append(explain(error))
    return None


def _open(folder: Folder, disk: Disk, lock: Lock | None, problems: list[str]) -> Opening:
    index: Index | None = None
    contents = Contents()
    path = folder.root / FILE_NAME
    try:
        if lock is not None:
            index, contents = _open_or_renew_index(path, problems)
        else:
            contents = read_index(path)
    except NewerIndexError:
        problems.append(NEWER_INDEX)
        if lock is not None:
            lock.release()
            lock = None
    except (DamagedIndexError, sqlite3.Error, OSError) as error:
        logger.warning("the index of the prompt cache in %s cannot be used: %s", folder.root, error)
        if lock is not None:
            problems.append(f"The index of the prompt cache cannot be used ({error}), so its files were listed anew.")
    return _compare(Opening(folder, Opened(), lock, index), contents, problems, disk.free_bytes(folder.root))


def _open_or_renew_index(path: Path, problems: list[str]) -> tuple[Index, Contents]:
    """An index to write; one that is damaged is renewed, and kept until the next opening that goes well."""
    try:
        opened = open_index(path)
    except DamagedIndexError as error:
        problems.append(f"The index of the prompt cache was damaged ({error}) and was made again from its files.")
        set_aside(path)
        return open_index(path)
    with contextlib.suppress(OSError):
        damaged_path(path).unlink(missing_ok=True)
    return opened


def _compare(opening: Opening, contents: Contents, problems: list[str], free_bytes: int) -> Opening:
    """Files decide: records without one go, and files without a record are read as far as their header."""
    scan = opening.folder.scan()
    if opening.lock is not None:
        opening.folder.remove_temporary(scan)
        opening.folder.clear_places(scan)
    known = {key: stored for key, stored in contents.entries.items() if scan.num_bytes.get(key) == stored.num_bytes}
    opening.changes.extend(DropEntry(key) for key in contents.entries.keys() - known.keys())
    headers = _read_headers(opening, scan, scan.num_bytes.keys() - known.keys(), problems)
    for header in headers:
        stored = StoredEntry(header.entry, header.num_bytes)
        known[header.entry.key] = stored
        contents.streams.setdefault(header.stream.identity, header.stream)
        opening.changes.append(AddEntry(stored, header.stream))
    owners = _with_creators(contents.owners, headers)
    opening.changes.extend(SaveOwner(owner) for owner in owners[len(contents.owners) :])
    opening.opened = Opened(
        entries=tuple(known.values()),
        streams=tuple(contents.streams.values()),
        owners=owners,
        readings=tuple(contents.readings),
        values=contents.values,
        is_read_only=opening.lock is None,
        is_held_elsewhere=HELD_ELSEWHERE in problems,
        free_bytes=free_bytes,
        problem=" ".join(problems),
        other_bytes=scan.other_bytes,
    )
    return opening


def _read_headers(opening: Opening, scan: Scan, keys: Iterable[EntryKey], problems: list[str]) -> list[Header]:
    headers: list[Header] = []
    damaged: list[EntryKey] = []
    for key in sorted(keys, key=lambda key: (key.stream, key.start, key.end)):
        try:
            headers.append(opening.folder.read_header(key))
        except DamagedFileError:
            damaged.append(key)
        except FileNotFoundError:
            continue  # its writer removed it meanwhile
        except (EntryFileError, OSError) as error:
            logger.warning("%s-%s is left alone: %s", key.start, key.end, error)
            opening.left_alone.add(key)
            scan.other_bytes += scan.num_bytes[key]
    if opening.left_alone:
        num_files = write_count(len(opening.left_alone), "file")
        problems.append(f"{num_files} of the prompt cache cannot be used: left alone.")
    if damaged:
        problems.append(_told_damage(opening, damaged, sum(scan.num_bytes[key] for key in damaged)))
    return headers


def _told_damage(opening: Opening, damaged: list[EntryKey], num_bytes: int) -> str:
    """Delete damaged files, where that is ours to do: a budget is told of no bytes that nothing can use."""
    files = f"{write_count(len(damaged), 'damaged file')} ({write_size(num_bytes)})"
    if opening.lock is None:
        return f"The prompt cache leaves {files} unused."
    for key in damaged:
        with contextlib.suppress(OSError):
            opening.folder.remove(key)
    return f"The prompt cache deleted {files}."


def _with_creators(owners: list[Owner], headers: list[Header]) -> tuple[Owner, ...]:
    """Owners, and for files that had no record their creators: at checkpoints, and where a creator's pages end."""
    known = {(owner.conversation_id, owner.stream, owner.node) for owner in owners}
    went_on = {
        (header.creator.conversation_id, header.stream.identity, header.entry.key.start)
        for header in headers
        if not header.entry.key.is_checkpoint
    }
    added = []
    for header in headers:
        key = header.entry.key
        place = (header.creator.conversation_id, key.stream, key.end)
        if header.creator.conversation_id and place not in known and (key.is_checkpoint or place not in went_on):
            known.add(place)
            added.append(Owner(*place, header.entry.num_tokens, header.creator.tag))
    return (*owners, *added)
