"""Whether chats can be written: asked while the disk is full, until it is not."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from app.conversations.store import Store

LEAST_FREE = 1_000_000  # bytes; less is gone with the next reply
_PROBE = 65_536  # bytes


def check_room(store: Store, folder: Path) -> None:
    """Let the file of the chats grow, and leave nothing in it.

    Raises OSError where the disk of its folder has no room for some replies, sqlite3.Error where the file may not grow.
    """
    if shutil.disk_usage(folder).free < LEAST_FREE:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    store.connection.execute("CREATE TABLE probe (bytes BLOB)")
    store.connection.execute("INSERT INTO probe VALUES (zeroblob(?))", (_PROBE,))
    store.connection.execute("DROP TABLE probe")
