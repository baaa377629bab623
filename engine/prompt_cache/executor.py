"""Does the storage's jobs, one after the other, on whichever thread it lives."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from engine.prompt_cache.disk import Disk, explain, is_disk_fault
from engine.prompt_cache.entries import (
    NO_TIME,
    Change,
    Deliver,
    EntryKey,
    Opened,
    ReadBack,
    Removed,
    SaveOwner,
    SaveReading,
    StoredEntry,
    Tensor,
    Written,
)
from engine.prompt_cache.entry_file import DamagedFileError, EntryFileError
from engine.prompt_cache.folder import Folder, GivenUpError
from engine.prompt_cache.jobs import (
    Job,
    OpenFolder,
    ReadEntries,
    RecordChanges,
    RemoveEntries,
    SaveIndex,
    WriteEntry,
)
from engine.prompt_cache.opening import Opening, open_folder
from engine.prompt_cache.records import AddEntry, DropEntry, IndexChange

logger = logging.getLogger(__name__)

CLOSED = "The prompt cache is closed."
UNEXPECTED = "The prompt cache failed because of a fault in this program. Its log says more."
NOT_WANTED = "The entry was removed before it was written."
_READ_ONLY = "The prompt cache is only read here."
_MISSING = "Its file is gone."
_MAX_WAITING_CHANGES = 256  # then they are saved even while jobs wait
_MAX_UNSAVED_CHANGES = 10_000  # kept for another try while the disk refuses them


class Executor:
    """Owns the opened folder; each job's answer is delivered before `run` returns."""

    def __init__(self, root: Path, deliver: Deliver, disk: Disk | None = None) -> None:
        self._disk = disk or Disk()
        self._root = root
        self._deliver = deliver
        self._opening = Opening(Folder(root, self._disk), Opened(is_read_only=True, problem=CLOSED))
        self._changes: list[IndexChange] = []
        self._is_refused = False  # the index by the disk, the last time
        self._too_late: set[tuple[str, str]] = set()  # streams and nodes of writes for which there was no time
        self._lost: set[tuple[str, str]] = set()  # conversations that had one of them as a place of theirs, by stream
        self.num_dropped = 0  # writes that were wanted and not even tried to their end

    def run(self, job: Job, is_given_up: Callable[[], bool] = lambda: False) -> None:
        """Do a job; a write stops early once it `is_given_up`."""
        match job:
            case OpenFolder():
                self._open()
            case WriteEntry():
                self._deliver(self._write(job, is_given_up))
            case ReadEntries(request_id, keys):
                self._deliver(self._read(request_id, keys))
            case RemoveEntries(keys, ticket):
                self._remove(keys, ticket)
            case RecordChanges(changes):
                self._record(*self._as_written(changes))
            case SaveIndex():
                self._save()
            case _:
                assert_never(job)

    def fail(self, job: Job, text: str) -> None:
        """Answer a job that was not done, or not to its end."""
        match job:
            case OpenFolder():
                self._deliver(Opened(is_read_only=True, problem=text))
            case WriteEntry(entry):
                self.num_dropped += job.is_wanted
                if job.is_wanted and text == CLOSED:
                    self._too_late.add((entry.key.stream, entry.key.end))
                self._deliver(Written(entry.key, 0, text, is_disk_fault=True))
            case ReadEntries(request_id):
                self._deliver(ReadBack(request_id, {}, {}, 0, 0.0))  # no fault of theirs, for which they would go
            case RemoveEntries(_, ticket):
                if ticket:
                    self._deliver(Removed(ticket))
            case RecordChanges() | SaveIndex():
                logger.debug("changes of the prompt cache's index were not made: %s", text)
            case _:
                assert_never(job)

    def close(self) -> None:
        """Save the index and let go of the folder; another may open it then."""
        self._save()
        opening = self._opening
        self._opening = Opening(opening.folder, Opened(is_read_only=True, problem=CLOSED))
        if opening.index is not None:
            try:
                opening.index.close()
            except sqlite3.Error as error:
                logger.warning("the index of the prompt cache was not closed in order: %s", error)
        if opening.lock is not None:
            opening.lock.release()

    def _open(self) -> None:
        self._opening = open_folder(self._root, self._disk)
        self._changes = list(self._opening.changes)
        self._save()
        opened = self._opening.opened
        logger.info("prompt cache in %s: %d entries. %s", self._root, len(opened.entries), opened.problem)
        self._deliver(opened)

    def _write(self, job: WriteEntry, is_given_up: Callable[[], bool]) -> Written:
        key = job.entry.key
        opening = self._opening
        if opening.lock is None:
            return Written(key, 0, opening.opened.problem or _READ_ONLY, is_disk_fault=True)
        if not job.is_wanted:
            return Written(key, 0, NOT_WANTED)
        if key in opening.left_alone:
            return Written(key, 0, "A file that is not this program's stands in its place.")
        try:
            num_bytes = opening.folder.write(job.entry, job.stream, job.creator, job.tensors, is_given_up)
        except GivenUpError:
            self.num_dropped += 1
            self._too_late.add((key.stream, key.end))
            return Written(key, 0, CLOSED, is_disk_fault=True)
        except OSError as error:
            logger.warning("an entry of the prompt cache was not written: %s", error)
            return Written(key, 0, explain(error), is_disk_fault(error))
        self._record(AddEntry(StoredEntry(job.entry, num_bytes), job.stream))
        return Written(key, num_bytes)

    def _read(self, request_id: int, keys: tuple[EntryKey, ...]) -> ReadBack:
        begin = time.perf_counter()
        found: dict[EntryKey, Mapping[str, Tensor]] = {}
        faults: dict[EntryKey, str] = {}
        num_bytes = 0
        for key in keys:
            try:
                header, found[key] = self._opening.folder.read(key)
                num_bytes += header.num_bytes
            except FileNotFoundError:
                faults[key] = _MISSING
            except OSError as error:
                if is_disk_fault(error):
                    logger.warning("an entry of the prompt cache could not be read and stays: %s", error)
                else:
                    faults[key] = explain(error)
            except EntryFileError as error:
                faults[key] = str(error)
                self._drop_damaged(key, error)
        return ReadBack(request_id, found, faults, num_bytes, time.perf_counter() - begin)

    def _drop_damaged(self, key: EntryKey, error: EntryFileError) -> None:
        """A damaged file is deleted at once, so that its bytes count nowhere; a foreign one stays."""
        logger.warning("%s/%s-%s of the prompt cache cannot be used: %s", key.stream, key.start, key.end, error)
        if isinstance(error, DamagedFileError):
            self._remove((key,), ticket=0)
        else:
            self._opening.left_alone.add(key)
            self._record(DropEntry(key))

    def _remove(self, keys: tuple[EntryKey, ...], ticket: int) -> None:
        if self._opening.lock is not None:
            for key in keys:
                self._remove_one(key)
        if ticket:
            self._save()  # whoever asked for it wants its tokens gone as well
            self._deliver(Removed(ticket))

    def _remove_one(self, key: EntryKey) -> None:
        if key in self._opening.left_alone:
            return
        try:
            self._opening.folder.remove(key)
        except OSError as error:
            logger.warning("a file of the prompt cache was not deleted: %s", error)
        self._record(DropEntry(key))

    def _as_written(self, changes: Sequence[Change]) -> Sequence[Change]:
        """Changes without owners of what was not written for want of time; their conversations' readings say so."""
        owners = [change.owner for change in changes if isinstance(change, SaveOwner)]
        late = [owner for owner in owners if (owner.stream, owner.node) in self._too_late]
        self._lost |= {(owner.conversation_id, owner.stream) for owner in late}  # whose readings may come later
        if not self._lost:
            return changes
        kept: list[Change] = []
        for change in changes:
            match change:
                case SaveOwner(owner) if owner in late:
                    continue
                case SaveReading(reading) if (reading.conversation_id, reading.stream.identity) in self._lost:
                    kept.append(SaveReading(replace(reading, loss=NO_TIME)))
                case _:
                    kept.append(change)
        return kept

    def _record(self, *changes: IndexChange) -> None:
        if self._opening.index is not None:
            self._changes.extend(changes)
            if len(self._changes) >= _MAX_WAITING_CHANGES and not self._is_refused:
                self._save()

    def _save(self) -> None:
        """Make what waits one transaction; a disk that refuses it is asked again with the next."""
        if self._opening.index is None or not self._changes:
            return
        try:
            self._opening.index.apply(self._changes)
            self._changes = []
            self._is_refused = False
        except sqlite3.OperationalError as error:
            logger.log(
                logging.DEBUG if self._is_refused else logging.WARNING,
                "the index of the prompt cache could not be saved and is tried again: %s",
                error,
            )
            self._is_refused = True
            del self._changes[:-_MAX_UNSAVED_CHANGES]
        except sqlite3.Error as error:
            logger.warning("the index of the prompt cache is damaged and made again at the next start: %s", error)
            self._opening.index.abandon()
            self._opening.index = None
