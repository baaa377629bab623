"""The SQLite file that lists the entry files and keeps what no file holds: owners, readings, values."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from engine.prompt_cache.disk import FILE_MODE
from engine.prompt_cache.records import TABLES, Contents, IndexChange, apply, load

FILE_NAME = "index.sqlite"
VERSION = 1
_APPLICATION_ID = 0x534C5043  # by which a file is known as ours
_BUSY_TIMEOUT_SECONDS = 1.0  # the lock keeps other writers out; this is for someone who looks by hand
_PASSING = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_NOMEM,
)


class NewerIndexError(Exception):
    """The index was made by a later version; it is left alone."""


class DamagedIndexError(Exception):
    """The file is no index of ours; it can be made again from the entry files."""


class Index:
    """A connection to write by; errors are sqlite3.Error."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def apply(self, changes: Sequence[IndexChange]) -> None:
        """Make all of the changes in one transaction, or none."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            for change in changes:
                apply(self._connection, change)

    def close(self) -> None:
        """Move everything into the one file and let go of it."""
        try:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self._connection.close()

    def abandon(self) -> None:
        """Set a damaged file aside, so that the next opening makes another from the entry files."""
        self._connection.close()
        with contextlib.suppress(OSError):
            set_aside(self._path)


def open_index(path: Path) -> tuple[Index, Contents]:
    """Open or create an index to write; raises DamagedIndexError, NewerIndexError, sqlite3.Error, OSError."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise DamagedIndexError("it is no file")
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE))
    path.chmod(FILE_MODE)  # SQLite gives its own files beside it the same
    connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        return Index(connection, path), _prepare(connection)
    except (sqlite3.Error, ValueError, TypeError) as error:
        connection.close()
        raise _meaning(error) from error
    except BaseException:
        connection.close()
        raise


def read_index(path: Path) -> Contents:
    """All records of an index that another program may be writing; nothing is written. Errors as of open_index."""
    if not path.is_file():
        return Contents()
    address = f"{path.absolute().as_uri()}?mode=ro"
    is_in_use = path.with_name(path.name + "-wal").exists()  # if not, SQLite would make one
    try:
        return _read(address if is_in_use else f"{address}&immutable=1")
    except sqlite3.OperationalError:  # a folder that cannot be written has no place for its shared memory either
        return _read(f"{address}&immutable=1")


def set_aside(path: Path) -> None:
    """Rename an index that cannot be used; its log would spoil the next one, so it goes."""
    kept = damaged_path(path)
    if kept.is_dir():
        kept = kept.with_name(f"{kept.name}.{os.getpid()}")
    path.rename(kept)
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def damaged_path(path: Path) -> Path:
    """Where an index is set aside."""
    return path.with_name(f"{path.stem}.damaged{path.suffix}")


def _prepare(connection: sqlite3.Connection) -> Contents:
    _check_origin(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # a record that a power cut takes comes back from its file
    connection.execute("PRAGMA wal_autocheckpoint = 100")  # pages of 4 KiB: the log stays small beside the entries
    connection.execute("PRAGMA secure_delete = FAST")  # token ids are text, and a deleted chat is to be gone
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
        numbers = f"PRAGMA application_id = {_APPLICATION_ID}; PRAGMA user_version = {VERSION};"
        connection.executescript(f"BEGIN IMMEDIATE; {TABLES} {numbers} COMMIT;")
    return load(connection)


def _read(address: str) -> Contents:
    with contextlib.closing(
        sqlite3.connect(address, uri=True, timeout=_BUSY_TIMEOUT_SECONDS, isolation_level=None)
    ) as probe:
        try:
            _check_origin(probe)
            probe.execute("BEGIN")  # all tables as of one moment
            return load(probe)
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise _meaning(error) from error


def _check_origin(connection: sqlite3.Connection) -> None:
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (num_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application_id != _APPLICATION_ID and (application_id or version or num_tables):
        raise DamagedIndexError("it is another program's")
    if version > VERSION:
        raise NewerIndexError(f"format {version}; this program knows up to {VERSION}")


def _meaning(error: Exception) -> Exception:
    """Full, busy and unreachable disks pass; all else means that the file is not as it was written."""
    is_passing = (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _PASSING
    return error if is_passing else DamagedIndexError(str(error))
