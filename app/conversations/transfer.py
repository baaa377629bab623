"""Export and import, off the window's thread and chat by chat, so that replies go on being saved meanwhile."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from app.conversations import unfinished
from app.conversations.adding import add_batch, batches_of
from app.conversations.database import Database, explain, is_disk_full
from app.conversations.exporting.files import ExportKind, write_json, write_markdown
from app.conversations.exporting.markdown_file import NO_TAGS, TagsByModel
from app.conversations.importing.files import read_paths
from app.conversations.importing.found import Found, Imported
from app.conversations.off_thread import run_off_thread
from app.conversations.opening import StorageError
from app.conversations.store import Store, UnknownConversationError
from app.conversations.whole_chat import WholeChat, order_by_time, read_chat

logger = logging.getLogger(__name__)


class Transfer:
    """Its coroutines are the whole of it; each runs on a thread that ends with it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def export(
        self,
        conversation_ids: Sequence[str],
        path: Path,
        kind: ExportKind,
        is_folder: bool,
        tags: TagsByModel = NO_TAGS,
    ) -> int:
        """Returns how many chats were written; raises OSError, sqlite3.Error or StorageError."""
        chats = self._chats(conversation_ids)
        if kind is ExportKind.JSON:
            return await run_off_thread(lambda: write_json(chats, path))
        return await run_off_thread(lambda: write_markdown(chats, path, is_folder, tags))

    async def read(self, paths: Sequence[Path], leaving: Collection[str] = ()) -> Found:
        """Chats that are `leaving` count as gone; raises sqlite3.Error or StorageError."""
        ids = await asyncio.wrap_future(self._database.run(lambda store: store.conversation_ids()))
        return await run_off_thread(lambda: read_paths(paths, set(ids).difference(leaving)))

    async def add(self, found: Found) -> Imported:
        return await run_off_thread(lambda: self._add(found))

    async def remove(self, conversation_ids: Sequence[str]) -> None:
        """Raises sqlite3.Error or StorageError: none is removed then, or all of them by the next start."""
        await run_off_thread(lambda: self._remove(conversation_ids))

    def _chats(self, conversation_ids: Sequence[str]) -> Iterator[WholeChat]:
        for one in conversation_ids:
            try:
                yield self._database.run(lambda store, one=one: read_chat(store, one)).result()  # type: ignore[misc]
            except UnknownConversationError as error:
                logger.warning("a chat was left out of an export: %s", error)

    def _add(self, found: Found) -> Imported:
        """All of them or none, whatever ends it: they are written down first as what is not to stay."""
        try:
            ids = self._database.run(lambda store: _begin(store, found.chats)).result()
        except (sqlite3.Error, StorageError) as error:
            return _nothing_for(error)
        fresh = [chat for chat in found.chats if chat.conversation.id in ids]
        try:
            for batch in batches_of(fresh):
                self._database.run(lambda store, batch=batch: add_batch(store, batch)).result()  # type: ignore[misc]
            self._database.run(lambda store: _finish(store, ids)).result()
        except (sqlite3.Error, StorageError) as error:
            self._take_back(ids)
            return _nothing_for(error)
        return Imported(tuple(ids))

    def _take_back(self, ids: Collection[str]) -> None:
        try:
            self._remove(ids)
        except (sqlite3.Error, StorageError) as error:
            logger.warning("a part of an import is removed at the next start: %s", error)

    def _remove(self, ids: Collection[str]) -> None:
        self._database.run(lambda store: unfinished.begin(store.connection, ids)).result()
        for one in ids:
            self._database.run(lambda store, one=one: store.delete_conversation(one)).result()  # type: ignore[misc]
        self._database.run(lambda store: unfinished.finish(store.connection, ids)).result()


def _begin(store: Store, chats: Sequence[WholeChat]) -> list[str]:
    """Ids of those that are not here, written down as unfinished."""
    here = {*store.conversation_ids(), *unfinished.unfinished_ids(store.connection)}
    ids = [chat.conversation.id for chat in chats if chat.conversation.id not in here]
    unfinished.begin(store.connection, ids)
    return ids


def _finish(store: Store, ids: Collection[str]) -> None:
    order_by_time(store, ids)
    unfinished.finish(store.connection, ids)


def _nothing_for(error: BaseException) -> Imported:
    """What came of an import that failed."""
    words = f"The chats could not be imported. {explain(error)} None of them was kept."
    return Imported((), words, is_disk_full(error))
