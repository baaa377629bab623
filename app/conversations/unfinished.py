"""Chats that an import is adding or taking back: written down before the first of them, so that none stays half done.

Their table is there only while one of them is. What a kill or a failure leaves in it is deleted at the next start.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable

logger = logging.getLogger(__name__)
_TABLE = "unfinished"


def begin(connection: sqlite3.Connection, conversation_ids: Iterable[str]) -> None:
    """Write down chats that are not to stay, unless `finish` is called."""
    connection.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE} (conversation_id TEXT PRIMARY KEY NOT NULL)")
    connection.executemany(f"INSERT OR IGNORE INTO {_TABLE} VALUES (?)", ((one,) for one in conversation_ids))


def finish(connection: sqlite3.Connection, conversation_ids: Iterable[str]) -> None:
    """Let chats stay, or forget those that were deleted."""
    connection.executemany(f"DELETE FROM {_TABLE} WHERE conversation_id = ?", ((one,) for one in conversation_ids))
    if connection.execute(f"SELECT 1 FROM {_TABLE}").fetchone() is None:
        connection.execute(f"DROP TABLE {_TABLE}")


def unfinished_ids(connection: sqlite3.Connection, schema: str = "main") -> frozenset[str]:
    """Those of the database that the connection names so."""
    if connection.execute(f"SELECT 1 FROM {schema}.sqlite_master WHERE name = ?", (_TABLE,)).fetchone() is None:
        return frozenset()
    return frozenset(one for (one,) in connection.execute(f"SELECT conversation_id FROM {schema}.{_TABLE}"))


def remove_unfinished(connection: sqlite3.Connection) -> None:
    """Called at the start of the one program that owns the file, in a transaction of its own."""
    if ids := unfinished_ids(connection):
        logger.info("%d chats of an import that was not finished are removed", len(ids))
        connection.executemany("DELETE FROM conversations WHERE id = ?", ((one,) for one in ids))
        connection.execute(f"DROP TABLE {_TABLE}")
