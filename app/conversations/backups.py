"""Copies of the chats: one a day, the last few kept, each looked through before an earlier one goes."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from contextlib import closing
from datetime import datetime
from pathlib import Path

logger = logging.getLogger(__name__)
DAY_SECONDS = 86_400
NUM_KEPT = 3
_PAGES = 4096  # of one step, between which the copy can be ended
_UNREADABLE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class DamagedCopyError(sqlite3.DatabaseError):
    """A page of the file is damaged."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


class Backups:
    """The copies of one database file, in a folder beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path.with_name("backups")

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
        """Copy what is saved at this moment while others write; raises OSError or sqlite3.Error.

        A copy that is not sound is removed and no earlier one with it.
        """
        self.folder.mkdir(mode=0o700, exist_ok=True)
        place = self.folder / f"{self.path.stem}-{datetime.now():%Y%m%d-%H%M%S}{self.path.suffix}"
        beside = place.with_name(f"{place.name}.part")
        try:
            with closing(open_read_only(self.path)) as source:
                source.execute("BEGIN")  # one moment of the chats, whoever writes meanwhile
                copy_database(source, beside)
            check_whole(beside)
            beside.replace(place)
        finally:
            beside.unlink(missing_ok=True)
        for old in [file for file in self.kept() if file.parent == self.folder][NUM_KEPT:]:
            old.unlink()
        return place


def open_read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5.0, isolation_level=None)


def copy_database(source: sqlite3.Connection, path: Path) -> None:
    """As one file that only the user can read; one that was there is replaced."""
    for ending in ("", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    with closing(sqlite3.connect(path, isolation_level=None)) as target:
        source.backup(target, pages=_PAGES)
        target.execute("PRAGMA journal_mode = DELETE")  # leaves no second file beside the copy
    with path.open("rb") as file:
        os.fsync(file.fileno())


def is_unreadable(error: sqlite3.Error) -> bool:
    """Whether the file itself is damaged, rather than busy, full or out of reach."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _UNREADABLE


def check_whole(path: Path) -> None:
    """Raises DamagedCopyError, or another sqlite3.DatabaseError, where any page of the file is damaged."""
    with closing(open_read_only(path)) as connection:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
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
