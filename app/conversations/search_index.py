"""The file beside the chats that finds text in them: trigrams of folded messages, made anew whenever it is lost."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from app.conversations.folding import fold
from app.conversations.opening import StorageError, decode_text
from app.conversations.reasoning import split_reasoning
from app.conversations.rows import attachments_of
from app.shown_paths import write_place

logger = logging.getLogger(__name__)
_VERSION = 2
_MOST_CHARACTERS = 200_000  # of one batch, which takes about 0.1 s
_MOST_MESSAGES = 200  # of one batch
_TRIGRAM = 3
_MOST_TRIGRAMS = 40  # of one word; what holds them all is compared with the word itself anyway


class SearchIndex:
    """Used on the search thread alone; reads the chats and never writes them.

    Texts are kept once more, folded, as SQLite can neither fold nor forget what it does not hold. Positions are not
    kept (detail=none): 100 MB of text make a file of 180 MB instead of 430 MB, and a word is compared with the text.
    """

    def __init__(self, path: Path, chats: Path) -> None:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise StorageError(f"The search index {write_place(path)} cannot be written ({error}).") from error
        self.connection = sqlite3.connect(path.resolve().as_uri(), uri=True, timeout=1.0, isolation_level=None)
        try:
            self._configure(chats)
        except BaseException:
            self.connection.close()
            raise

    def _configure(self, chats: Path) -> None:
        connection = self.connection
        connection.row_factory = sqlite3.Row
        connection.text_factory = decode_text
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")  # what is lost is made anew
        connection.execute("PRAGMA secure_delete = FAST")
        connection.execute("PRAGMA cache_size = -32000")  # kB; merges of what was indexed read a lot of it again
        connection.execute("ATTACH DATABASE ? AS chats", (f"{chats.resolve().as_uri()}?mode=ro",))
        version = connection.execute("PRAGMA main.user_version").fetchone()[0]
        if version != _VERSION:
            self.make_anew()
        self.has_trigrams = bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'texts_data'").fetchone())
        connection.execute("SELECT rowid FROM texts LIMIT 1").fetchall()  # raises where the file is damaged

    def make_anew(self) -> None:
        """Empty, and not whole until `begin`."""
        self.connection.execute("DROP TABLE IF EXISTS main.taken")
        self.connection.execute("DROP TABLE IF EXISTS main.texts")
        try:
            self.connection.execute("CREATE VIRTUAL TABLE texts USING fts5 (folded, tokenize = trigram, detail = none)")
        except sqlite3.OperationalError as error:  # before SQLite 3.34, or built without FTS5
            logger.info("every search reads all chats: %s", error)
            self.connection.execute("CREATE TABLE texts (folded TEXT NOT NULL)")
        self.connection.execute("CREATE TABLE main.taken (change INTEGER NOT NULL)")  # one row: the last that it has
        self.connection.execute(f"PRAGMA main.user_version = {_VERSION}")

    def begin(self) -> None:
        """Be whole with what waits, once every message of the chats does."""
        self.connection.execute(
            "INSERT INTO main.taken VALUES (coalesce((SELECT min(change) - 1 FROM chats.unindexed), "
            "(SELECT seq FROM chats.sqlite_sequence WHERE name = 'unindexed'), 0))"
        )

    def is_whole(self) -> bool:
        """Whether every change of these chats is in it or waits.

        Changes are numbered without gaps: it is not whole where one is missing, after it was lost or did not reach the
        disk, nor where it has later ones, of chats that a backup took the place of.
        """
        taken = self.connection.execute("SELECT change FROM main.taken").fetchone()
        if taken is None:
            return False
        last, num_waiting = self.connection.execute(
            "SELECT coalesce((SELECT seq FROM chats.sqlite_sequence WHERE name = 'unindexed'), 0), "
            "(SELECT count(*) FROM chats.unindexed WHERE change > ?)",
            (taken["change"],),
        ).fetchone()
        return bool(num_waiting == last - taken["change"])

    def has_long_queue(self) -> bool:
        """Whether a batch would not be the end of it."""
        query = "SELECT count(*) FROM (SELECT 1 FROM chats.unindexed LIMIT ?)"
        return bool(self.connection.execute(query, (_MOST_MESSAGES,)).fetchone()[0] == _MOST_MESSAGES)

    def take_batch(self) -> int | None:
        """Take in what changed next; returns the number of the last change it has then, None where there was none."""
        changes = self.connection.execute(
            "SELECT change, ordinal FROM chats.unindexed ORDER BY change LIMIT ?", (_MOST_MESSAGES,)
        ).fetchall()
        if not changes:
            return None
        self.connection.execute("BEGIN")
        try:
            last = self._take(changes)
            self.connection.execute("UPDATE main.taken SET change = max(change, ?)", (last,))
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise
        return last

    def _take(self, changes: Sequence[sqlite3.Row]) -> int:
        num_characters = 0
        for change, ordinal in changes:
            folded = self._folded(ordinal)
            self.connection.execute("DELETE FROM texts WHERE rowid = ?", (ordinal,))
            if folded is not None:
                self.connection.execute("INSERT INTO texts (rowid, folded) VALUES (?, ?)", (ordinal, folded))
                num_characters += len(folded)
            if num_characters > _MOST_CHARACTERS:
                return int(change)
        return int(changes[-1]["change"])

    def conversation_of(self, ordinal: int) -> str | None:
        row = self.connection.execute("SELECT conversation_id FROM chats.messages WHERE ordinal = ?", (ordinal,))
        return next((conversation_id for (conversation_id,) in row), None)

    def message(self, ordinal: int) -> sqlite3.Row | None:
        """What of a message is searched, with its id."""
        found: sqlite3.Row | None = self.connection.execute(
            "SELECT id, text, opening, attachments FROM chats.messages WHERE ordinal = ?", (ordinal,)
        ).fetchone()
        return found

    def _folded(self, ordinal: int) -> str | None:
        """Of a message with what it quotes; None where it is gone, "" where it cannot be read."""
        try:
            row = self.message(ordinal)
        except sqlite3.DatabaseError as error:
            logger.warning("a message could not be read and cannot be found: %s", error)
            return ""
        return None if row is None else fold("\n".join(searched_texts(row)))

    def find(self, words: Sequence[str]) -> sqlite3.Cursor:
        """Ordinals of the messages that hold every one of the folded words, the latest first."""
        conditions = ["instr(folded, ?) > 0"] * len(words)
        arguments = list(words)
        grams = [gram for word in words for gram in _trigrams(word)]
        if grams and self.has_trigrams:
            conditions.insert(0, "texts MATCH ?")
            arguments.insert(0, " AND ".join('"' + gram.replace('"', '""') + '"' for gram in grams))
        return self.connection.execute(
            f"SELECT rowid FROM texts WHERE {' AND '.join(conditions)} ORDER BY rowid DESC", arguments
        )


def searched_texts(row: sqlite3.Row) -> list[str]:
    """What of a message is searched, without the tags around reasoning.

    Needs the columns `id`, `text`, `opening` and `attachments`.
    """
    text, opening = (row[name] if isinstance(row[name], str) else "" for name in ("text", "opening"))
    texts = ["\n".join(text[part.start : part.end] for part in split_reasoning(text, opening))]
    for attachment in attachments_of(row):
        texts += [attachment.name, attachment.text]
    return texts


def _trigrams(word: str) -> list[str]:
    grams = dict.fromkeys(word[start : start + _TRIGRAM] for start in range(len(word) - _TRIGRAM + 1))
    return list(grams)[:_MOST_TRIGRAMS]
