"""Opens the database file: looks before it writes, backs up before it migrates, sets aside what cannot be read."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from app.conversations.backups import check_whole, copy_database, is_unreadable, open_read_only
from app.conversations.restoring import SetAside, UnreadableFileError, find_interrupted, replace_damaged
from app.conversations.schema import MIGRATIONS, Migration, migrate, version_of
from app.shown_paths import write_place, write_places

BUSY_TIMEOUT_SECONDS = 5.0


class StorageError(Exception):
    """The database cannot be opened, or has not what was asked for; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Opened:
    """`problem` is a sentence for the user where the earlier file was set aside, else empty."""

    connection: sqlite3.Connection
    problem: str
    set_aside: SetAside | None = None


def open_database(path: Path, migrations: tuple[Migration, ...] = MIGRATIONS) -> Opened:
    """Open, create or migrate the file; raises StorageError and leaves the file alone where it must."""
    try:
        return _open(path, migrations)
    except (sqlite3.Error, OSError) as error:
        raise StorageError(
            f"The conversations in {write_place(path)} cannot be opened ({write_places(str(error))}). "
            "Check that the folder can be written and that the disk has space, then start again."
        ) from error


def _open(path: Path, migrations: tuple[Migration, ...]) -> Opened:
    is_there = path.exists() and path.stat().st_size > 0
    if not is_there and not find_interrupted(path):
        return Opened(_connect(path, migrations), "")
    try:
        if not is_there:
            raise UnreadableFileError("the last start ended before a backup took its place")
        _inspect(path, len(migrations))
        return Opened(_connect(path, migrations), "")
    except (sqlite3.Error, UnreadableFileError) as error:
        if isinstance(error, sqlite3.Error) and not is_unreadable(error):
            raise
        reason = str(error)
    set_aside = replace_damaged(path, reason, lambda copy: _prepare(copy, path, migrations))
    return Opened(_connect(path, migrations), set_aside.describe(), set_aside)


def _prepare(copy: Path, path: Path, migrations: tuple[Migration, ...]) -> None:
    """Bring a copy that is to stand at `path` to the present format."""
    check_whole(copy)
    _inspect(copy, len(migrations), path)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        _migrate_in_transaction(connection, migrations)


def _inspect(path: Path, known_version: int, place: Path | None = None) -> None:
    """Read without writing: the version, and that both tables can be walked; a copy is to stand at `place`."""
    if path.with_name(f"{path.name}-journal").exists():  # of a start that was killed: only a writer can roll it back
        with closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_SECONDS)) as writer:
            version_of(writer)
    with closing(open_read_only(path)) as probe:
        version = version_of(probe)
        if version > known_version:
            raise StorageError(
                f"The conversations in {place or path} were saved by a later Slipstream "
                f"(format {version}; this one knows up to {known_version}). "
                "Nothing was changed. Start the later Slipstream, or choose another data folder with SLIPSTREAM_DATA."
            )
        tables = {name for (name,) in probe.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if version == 0 and not tables and (place or find_interrupted(path)):
            raise UnreadableFileError("it is empty")
        if (version == 0 and tables) or (version > 0 and not {"conversations", "messages"} <= tables):
            raise UnreadableFileError("its tables are not those of Slipstream")
        if version > 0:
            probe.execute("SELECT count(*), max(updated_at) FROM conversations").fetchone()
            probe.execute("SELECT id FROM messages ORDER BY ordinal DESC LIMIT 1").fetchone()


def _connect(path: Path, migrations: tuple[Migration, ...]) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite gives its own files the same permissions
    path.chmod(0o600)
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None)
    try:
        _configure(connection)
        _keep_and_migrate(connection, path, migrations)
    except BaseException:
        connection.close()
        raise
    return connection


def _keep_and_migrate(connection: sqlite3.Connection, path: Path, migrations: tuple[Migration, ...]) -> None:
    """Migrate with a copy of the earlier format beside it; a migration that fails leaves none."""
    if not 0 < version_of(connection) < len(migrations):
        _migrate_in_transaction(connection, migrations)
        return
    earlier = _place_of_earlier(path, version_of(connection) + 1)
    beside = earlier.with_name(f"{earlier.name}.part")
    try:
        copy_database(connection, beside)
        beside.replace(earlier)
        _migrate_in_transaction(connection, migrations)
    except BaseException:
        beside.unlink(missing_ok=True)
        earlier.unlink(missing_ok=True)
        raise


def _place_of_earlier(path: Path, version: int) -> Path:
    """A free one: a copy that an earlier migration made is never written over."""
    place, number = path.with_name(f"{path.stem}.before-format-{version}{path.suffix}"), 1
    while place.exists():
        number += 1
        place = path.with_name(f"{path.stem}.before-format-{version}-{number}{path.suffix}")
    return place


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
