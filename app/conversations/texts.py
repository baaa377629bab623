"""Texts that many replies were made with, system prompts and chat templates: each is stored once, under its digest."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from collections.abc import Iterable

logger = logging.getLogger(__name__)
_MOST_KNOWN = 64  # of those that were read last
_UNUSED = (
    "DELETE FROM texts WHERE NOT EXISTS "
    "(SELECT 1 FROM messages WHERE system_prompt <> '' AND system_prompt = texts.digest) AND NOT EXISTS "
    "(SELECT 1 FROM messages WHERE template <> '' AND template = texts.digest)"
)


class Texts:
    """Those of one database; messages have the digests."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[str, str] = {}  # one copy in memory for all the replies of a chat

    def keep(self, texts: Iterable[str]) -> None:
        rows = ((digest_of(text), text) for text in texts if text)
        self._connection.executemany("INSERT OR IGNORE INTO texts (digest, text) VALUES (?, ?)", rows)

    def read(self, digest: str) -> str:
        """The text; "" where it is not there, of which the log tells."""
        if digest in ("", *self._known):
            return self._known.get(digest, "")
        row = self._connection.execute("SELECT text FROM texts WHERE digest = ?", (digest,)).fetchone()
        if row is None or not isinstance(row[0], str):
            logger.warning("a text that replies were made with is missing")
            return ""
        if len(self._known) == _MOST_KNOWN:
            self._known.clear()
        return self._known.setdefault(digest, row[0])

    def forget_unused(self) -> None:
        """Called at the start: before the end of the program a deleted reply may be had back."""
        self._connection.execute(_UNUSED)
        self._known.clear()


def digest_of(text: str) -> str:
    """ "" of the empty text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest() if text else ""
