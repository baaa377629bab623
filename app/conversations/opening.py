"""Opens the database file: looks before it writes, backs up before it migrates, sets aside what cannot be read."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from app.conversations.backups import Backups, check_whole, copy_database, num_saved, open_read_only
from app.conversations.schema import MIGRATIONS, Migration, migrate, version_of

logger = logging.getLogger(__name__)
BUSY_TIMEOUT_SECONDS = 5.0
_UNREADABLE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class StorageError(Exception):
    """The database cannot be opened, or has not what was asked for; the text is a sentence for the user."""


class _UnreadableFileError(Exception):
    """The file is no database of ours."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A file that could not be read: where it is kept, and which backup was opened in its place."""

    file: Path
    reason: str
    backup: Path | None = None
    num_missing: int | None = None  # messages that the backup does not have; None where that is not known

    def describe(self) -> str:
        if self.backup is None:
            return f"The chats file was damaged ({self.reason}) and set aside as {self.file}. A new one was begun."
        made = datetime.fromtimestamp(self.backup.stat().st_mtime)
        return (
            "The chats file was damaged and set aside. "
            f"The backup of {made.day} {made:%B, %H:%M} was opened; {_later(self.num_missing)} may be missing."
        )


@dataclass(frozen=True, slots=True)
class Opened:
    """`problem` is a sentence for the user where the earlier file was set aside, else empty."""

    connection: sqlite3.Connection
    problem: str
    set_aside: SetAside | None = None


def open_database(path: Path, migrations: tuple[Migration, ...] = MIGRATIONS) -> Opened:
    """Open, create or migrate the file; raises StorageError and leaves the file alone where it must."""
    try:
        set_aside = _inspect_or_set_aside(path, len(migrations))
        return Opened(_connect(path, migrations), set_aside.describe() if set_aside else "", set_aside)
    except (sqlite3.Error, OSError) as error:
        raise StorageError(
            f"The conversations in {path} cannot be opened ({error}). "
            "Check that the folder can be written and that the disk has space, then start again."
        ) from error


def is_unreadable(error: sqlite3.Error) -> bool:
    """Whether the file itself is damaged, rather than busy, full or out of reach."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _UNREADABLE


def _later(num_missing: int | None) -> str:
    if num_missing is None:
        return "later messages"
    return "1 later message" if num_missing == 1 else f"{num_missing:,} later messages"


def _inspect_or_set_aside(path: Path, known_version: int) -> SetAside | None:
    if not path.exists() or path.stat().st_size == 0:
        return None
    try:
        _inspect(path, known_version)
    except (sqlite3.Error, _UnreadableFileError) as error:
        if isinstance(error, sqlite3.Error) and not is_unreadable(error):
            raise
        return _restore(path, SetAside(_set_aside(path), str(error)), known_version)
    return None


def _restore(path: Path, set_aside: SetAside, known_version: int) -> SetAside:
    """Put the latest sound backup in the place of the file."""
    for backup in Backups(path).kept():
        try:
            _inspect(backup, known_version)
            check_whole(backup)
            with closing(open_read_only(backup)) as source:
                copy_database(source, path)
        except (sqlite3.Error, _UnreadableFileError, StorageError) as error:
            logger.warning("the backup %s cannot be used: %s", backup.name, error)
            continue
        before, after = num_saved(set_aside.file), num_saved(path)
        is_known = before is not None and after is not None and before >= after
        num_missing = before - after if is_known else None  # type: ignore[operator]
        return replace(set_aside, backup=backup, num_missing=num_missing)
    return set_aside


def _inspect(path: Path, known_version: int) -> None:
    """Read without writing: the version, and that both tables can be walked."""
    with closing(open_read_only(path)) as probe:
        version = version_of(probe)
        if version > known_version:
            raise StorageError(
                f"The conversations in {path} were saved by a later Slipstream "
                f"(format {version}; this one knows up to {known_version}). "
                "Nothing was changed. Start the later Slipstream, or choose another data folder with SLIPSTREAM_DATA."
            )
        tables = {name for (name,) in probe.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if (version == 0 and tables) or (version > 0 and not {"conversations", "messages"} <= tables):
            raise _UnreadableFileError("its tables are not those of Slipstream")
        if version > 0:
            probe.execute("SELECT count(*), max(updated_at) FROM conversations").fetchone()
            probe.execute("SELECT id FROM messages ORDER BY ordinal DESC LIMIT 1").fetchone()


def _set_aside(path: Path) -> Path:
    """Rename the file and what SQLite keeps beside it; nothing of it is deleted."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    kept = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    num_tries = 1
    while kept.exists():
        num_tries += 1
        kept = path.with_name(f"{path.stem}.damaged-{stamp}-{num_tries}{path.suffix}")
    for ending in ("", "-wal", "-shm"):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.rename(kept.with_name(kept.name + ending))
    return kept


def _connect(path: Path, migrations: tuple[Migration, ...]) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite gives its own files the same permissions
    path.chmod(0o600)
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None)
    try:
        _configure(connection)
        if 0 < version_of(connection) < len(migrations):
            earlier = f"{path.stem}.before-format-{version_of(connection) + 1}{path.suffix}"
            copy_database(connection, path.with_name(earlier))
        _migrate_in_transaction(connection, migrations)
    except BaseException:
        connection.close()
        raise
    return connection


def _configure(connection: sqlite3.Connection) -> None:
    """A commit is on the disk when it returns, power cuts included; readers never wait for writers."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")  # macOS: fsync alone leaves data in the drive's own memory
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = FAST")  # overwrite deleted text wherever that costs no extra write
    connection.row_factory = sqlite3.Row
    connection.text_factory = decode_text


def decode_text(data: bytes) -> str:
    """One broken character must not hide a whole record."""
    return data.decode("utf-8", "replace")


def _migrate_in_transaction(connection: sqlite3.Connection, migrations: tuple[Migration, ...]) -> None:
    if version_of(connection) >= len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        migrate(connection, migrations)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
