"""The one database thread: every read and write of conversations happens on it, in order."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from app.conversations.backups import Backups, is_unreadable
from app.conversations.opening import StorageError, open_database
from app.conversations.restoring import SetAside
from app.conversations.search import Search
from app.conversations.store import Store
from app.conversations.unfinished import remove_unfinished
from app.shown_paths import write_place

logger = logging.getLogger(__name__)
T = TypeVar("T")
FILE_NAME = "conversations.sqlite"


class Database:
    """Owns the file and its thread; `opened` gives the sentence to show, "" where all is well, or a StorageError.

    From a coroutine: `await asyncio.wrap_future(database.run(work))`.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.set_aside: SetAside | None = None  # once it is open: the damaged file that stood there
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
        self.is_closed = False  # or about to be
        self._store: Store | None = None
        self._connection: sqlite3.Connection | None = None
        self.opened: Future[str] = self._thread.submit(self._open)
        self.search = Search(self.path, self.run)
        self.backups = Backups(self.path)

    def run(self, work: Callable[[Store], T]) -> Future[T]:
        """Run `work` as one transaction on the database thread: all of it is on the disk, or none.

        Once it is closed, the future has a StorageError.
        """
        try:
            return self._thread.submit(self._transact, work)
        except RuntimeError:  # the thread has ended
            refused: Future[T] = Future()
            refused.set_exception(StorageError(f"The conversations in {write_place(self.path)} were closed."))
            return refused

    def close(self) -> None:
        """Finish what was asked for, then close the file; returns when that is done."""
        if not self.is_closed:
            self.is_closed = True
            self.backups.end()
            self.search.close()
            self._thread.submit(self._close)
            self._thread.shutdown(wait=True)

    def _open(self) -> str:
        opened = open_database(self.path)
        self._connection, self.set_aside = opened.connection, opened.set_aside
        self._store = Store(opened.connection)
        try:
            self._transact(remove_leftovers)
        except sqlite3.Error as error:
            logger.warning("what is not needed any more stays until the next start: %s", error)
        return opened.problem

    def _transact(self, work: Callable[[Store], T]) -> T:
        connection, store = self._connection, self._store
        if connection is None or store is None:
            raise StorageError(f"The conversations in {write_place(self.path)} are not open, so nothing can be saved.")
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(store)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:  # a full disk makes SQLite roll back by itself
                connection.execute("ROLLBACK")
            raise
        return result

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def is_disk_full(error: BaseException) -> bool:
    """Whether a transaction failed because the file of the chats cannot grow."""
    return _code_of(error) == sqlite3.SQLITE_FULL


def remove_leftovers(store: Store) -> None:
    """What an import that was not finished added, and texts that no reply needs any more."""
    remove_unfinished(store.connection)
    store.texts.forget_unused()


def explain(error: BaseException) -> str:
    """Why a transaction failed, as a sentence for the user."""
    code = _code_of(error)
    if is_disk_full(error):
        return "The disk is full."
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "Another program holds the conversations' file."
    if code == sqlite3.SQLITE_READONLY:
        return "The conversations' file cannot be written."
    if isinstance(error, sqlite3.Error) and is_unreadable(error):
        return f"The conversations' file is damaged ({error})."
    return str(error) if isinstance(error, StorageError) else f"The database answered: {error}."


def _code_of(error: BaseException) -> int:
    """SQLite's primary result code; 0 of another error."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
