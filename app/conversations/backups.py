"""Copies of the chats: one a day, the last few kept, each looked through before an earlier one goes."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

logger = logging.getLogger(__name__)
DAY_SECONDS = 86_400
NUM_KEPT = 3
EARLIER_KEPT_SECONDS = 30 * DAY_SECONDS  # a copy of an earlier format
_PAGES = 4096  # of one step, between which the copy can be ended
_INSTRUCTIONS = 100_000  # of SQLite, a few milliseconds, after which a check can be
_UNREADABLE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class BackupEndedError(Exception):
    """The program ends, and waits for no copy."""


class DamagedCopyError(sqlite3.DatabaseError):
    """A page of the file is damaged."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


class Backups:
    """The copies of one database file, in a folder beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path.with_name("backups")
        self._ended = threading.Event()

    def end(self) -> None:
        """Give up the copy that is being made, and make no other; from any thread."""
        self._ended.set()

    def is_ended(self) -> bool:
        """Asked between the steps of a copy."""
        return self._ended.is_set()

    def kept(self) -> list[Path]:
        """The latest first, and after them the copies that migrations made; each by when it was made."""
        daily = self.folder.glob(f"{self.path.stem}-*{self.path.suffix}")
        migrated = self.path.parent.glob(f"{self.path.stem}.before-format-*{self.path.suffix}")
        return sorted([*daily, *migrated], key=lambda file: file.stat().st_mtime, reverse=True)

    def is_due(self) -> bool:
        """Whether the latest is a day old; one from the future tells of a clock that was set back."""
        times = [file.stat().st_mtime for file in self.kept() if file.parent == self.folder]
        return not times or abs(time.time() - times[0]) > DAY_SECONDS

    def take(self) -> Path:
        """Copy what is saved at this moment while others write; raises OSError, sqlite3.Error or BackupEndedError.

        A copy that is not sound is removed and no earlier one with it.
        """
        self.folder.mkdir(mode=0o700, exist_ok=True)
        for left in self.folder.glob(f"{self.path.stem}-*.part*"):  # of a program that was killed
            left.unlink()
        place = self.folder / f"{self.path.stem}-{datetime.now():%Y%m%d-%H%M%S}{self.path.suffix}"
        beside = place.with_name(f"{place.name}.part")
        try:
            with closing(open_read_only(self.path)) as source:
                source.execute("BEGIN")  # one moment of the chats, whoever writes meanwhile
                source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # it begins with what is read first
                copy_database(source, beside, self.is_ended)
            check_whole(beside, self.is_ended)
            beside.replace(place)
        finally:
            beside.unlink(missing_ok=True)
        self._remove_old()
        return place

    def _remove_old(self) -> None:
        """What they hold of chats that were deleted since goes with them."""
        kept = self.kept()
        for old in [file for file in kept if file.parent == self.folder][NUM_KEPT:]:
            old.unlink()
        for earlier in [file for file in kept if file.parent != self.folder]:
            if time.time() - earlier.stat().st_mtime > EARLIER_KEPT_SECONDS:
                earlier.unlink()


def open_read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5.0, isolation_level=None)


def _is_never_ended() -> bool:
    return False


def copy_database(source: sqlite3.Connection, path: Path, is_ended: Callable[[], bool] = _is_never_ended) -> None:
    """As one file that only the user can read; one that was there is replaced. Raises BackupEndedError."""

    def look(*_: int) -> None:
        if is_ended():
            raise BackupEndedError

    for ending in ("", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    with closing(sqlite3.connect(path, isolation_level=None)) as target:
        source.backup(target, pages=_PAGES, progress=look)
        target.execute("PRAGMA journal_mode = DELETE")  # leaves no second file beside the copy
    with path.open("rb") as file:
        os.fsync(file.fileno())


def is_unreadable(error: sqlite3.Error) -> bool:
    """Whether the file itself is damaged, rather than busy, full or out of reach."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _UNREADABLE


def check_whole(path: Path, is_ended: Callable[[], bool] = _is_never_ended) -> None:
    """Raises DamagedCopyError, or another sqlite3.DatabaseError, where any page is damaged; or BackupEndedError."""
    with closing(open_read_only(path)) as connection:
        connection.set_progress_handler(is_ended, _INSTRUCTIONS)
        try:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.OperationalError as error:
            if is_ended():
                raise BackupEndedError from error
            raise
    if found != "ok":
        raise DamagedCopyError(f"a part of {path.name} is damaged: {found}")


def num_saved(path: Path) -> int | None:
    """How many messages were ever saved in a file; None where that cannot be read."""
    try:
        with closing(open_read_only(path)) as connection:
            row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'messages'").fetchone()
    except sqlite3.Error as error:
        logger.info("it is not known how many messages %s has: %s", path.name, error)
        return None
    return int(row[0]) if row else 0
