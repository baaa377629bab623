"""Puts a backup in the place of chats that cannot be read; what is killed or full in between loses nothing.

The backup is made ready beside the place, the damaged file is set aside, and only then does the backup take the place.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from app.conversations.backups import Backups, copy_database, is_unreadable, num_saved, open_read_only
from app.shown_paths import write_place

logger = logging.getLogger(__name__)
_ENDINGS = ("", "-wal", "-shm", "-journal")  # of a file and what SQLite keeps beside it


class UnreadableFileError(Exception):
    """The file is no database of ours."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A file that could not be read or was missing: where it is kept, and which backup was opened in its place."""

    file: Path | None  # None where it was missing
    reason: str
    backup: Path | None = None
    num_missing: int | None = None  # messages that the backup does not have; None where that is not known
    made_at: float = 0.0  # when the backup was made, in seconds

    def describe(self) -> str:
        if self.backup is None:
            if self.file is None:
                return "The chats file was missing, and none of its backups could be read. A new one was begun."
            place = write_place(self.file)
            return f"The chats file was damaged ({self.reason}) and set aside as {place}. A new one was begun."
        made = datetime.fromtimestamp(self.made_at or self.backup.stat().st_mtime)
        return (
            f"The chats file was {'missing' if self.file is None else 'damaged and set aside'}. "
            f"The backup of {made.day} {made:%B, %H:%M} was opened; {_later(self.num_missing)} may be missing."
        )


def search_file(chats: Path) -> Path:
    """Where the index of the chats' search is."""
    return chats.with_name(f"{chats.stem}.search{chats.suffix}")


def remove_file(path: Path) -> None:
    """With what SQLite keeps beside it."""
    for ending in _ENDINGS:
        path.with_name(path.name + ending).unlink(missing_ok=True)


def find_interrupted(path: Path) -> bool:
    """Whether a missing file stood here: a damaged one was set aside and nothing took its place, or it has backups."""
    return bool(_damaged(path) or Backups(path).kept())


def replace_damaged(path: Path, reason: str, prepare: Callable[[Path], None]) -> SetAside:
    """Set the file aside, where there is one, and put the latest sound backup in its place.

    `prepare` brings a copy to the present format; where that, or the copying, finds a backup unreadable, the one before
    is taken. Raises sqlite3.Error or OSError for anything else, and leaves all files as they were then.
    """
    beside = path.with_name(f"{path.name}.part")
    try:
        backup = _copy_latest(path, beside, prepare)
        made_at = backup.stat().st_mtime if backup else 0.0
        file = _set_aside(path)
        remove_file(search_file(path))  # it tells of chats that the backup may not have
        if backup is None:
            return SetAside(file, reason)
        num_missing = _num_missing(file, beside)
        beside.replace(path)
        _sync_folder(path.parent)
    finally:
        remove_file(beside)
    return SetAside(file, reason, backup, num_missing, made_at)


def _copy_latest(path: Path, beside: Path, prepare: Callable[[Path], None]) -> Path | None:
    """Copy the latest backup that can be used; returns it, None where none can."""
    for backup in Backups(path).kept():
        try:
            with closing(open_read_only(backup)) as source:
                copy_database(source, beside)
            prepare(beside)
        except (sqlite3.Error, UnreadableFileError) as error:
            if isinstance(error, sqlite3.Error) and not is_unreadable(error):
                raise
            logger.warning("the backup %s cannot be used: %s", backup.name, error)
        else:
            return backup
    return None


def _set_aside(path: Path) -> Path | None:
    """Rename the file and what SQLite keeps beside it; nothing of it is deleted.

    Where an earlier start was ended in the middle of that, the rest follows. Returns the damaged file, None where there
    is none.
    """
    if path.exists() and path.stat().st_size:
        kept = _free_place(path)
    else:
        path.unlink(missing_ok=True)
        latest = max(_damaged(path), key=lambda file: file.stat().st_ctime, default=None)
        kept = latest or _free_place(path)
    for ending in _ENDINGS:
        part, place = path.with_name(path.name + ending), kept.with_name(kept.name + ending)
        if part.exists():
            part.rename(place if not place.exists() else place.with_name(_free_place(path).name + ending))
    return kept if kept.exists() else None


def _free_place(path: Path) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    kept = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    num_tries = 1
    while any(kept.with_name(kept.name + ending).exists() for ending in _ENDINGS):
        num_tries += 1
        kept = path.with_name(f"{path.stem}.damaged-{stamp}-{num_tries}{path.suffix}")
    return kept


def _damaged(path: Path) -> list[Path]:
    return list(path.parent.glob(f"{path.stem}.damaged-*{path.suffix}"))


def _num_missing(damaged: Path | None, restored: Path) -> int | None:
    before = num_saved(damaged) if damaged else None
    after = num_saved(restored)
    return before - after if before is not None and after is not None and before >= after else None


def _later(num_missing: int | None) -> str:
    if num_missing is None:
        return "later messages"
    return "1 later message" if num_missing == 1 else f"{num_missing:,} later messages"


def _sync_folder(folder: Path) -> None:
    """A renamed file is there after a power cut too; Windows knows no such call and needs none."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
