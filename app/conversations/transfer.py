"""Export and import, off the window's thread and chat by chat, so that replies go on being saved meanwhile."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.conversations.database import Database, explain
from app.conversations.exporting.files import ExportKind, write_json, write_markdown
from app.conversations.importing.files import read_paths
from app.conversations.importing.found import Found, Imported
from app.conversations.off_thread import run_off_thread
from app.conversations.opening import StorageError
from app.conversations.store import UnknownConversationError
from app.conversations.whole_chat import WholeChat, add_chats, order_by_time, read_chat

logger = logging.getLogger(__name__)
_MOST_MESSAGES = 100  # of one transaction, which takes about 50 ms
_MOST_CHARACTERS = 1_000_000


class Transfer:
    """Its coroutines are the whole of it; each runs on a thread that ends with it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def export(self, conversation_ids: Sequence[str], path: Path, kind: ExportKind, is_folder: bool) -> int:
        """Returns how many chats were written; raises OSError, sqlite3.Error or StorageError."""
        chats = self._chats(conversation_ids)
        if kind is ExportKind.JSON:
            return await run_off_thread(lambda: write_json(chats, path))
        return await run_off_thread(lambda: write_markdown(chats, path, is_folder))

    async def read(self, paths: Sequence[Path]) -> Found:
        """Raises sqlite3.Error or StorageError where it is not known what is here."""
        ids = await asyncio.wrap_future(self._database.run(lambda store: store.conversation_ids()))
        return await run_off_thread(lambda: read_paths(paths, set(ids)))

    async def add(self, found: Found) -> Imported:
        return await run_off_thread(lambda: self._add(found))

    async def remove(self, conversation_ids: Sequence[str]) -> None:
        """Raises sqlite3.Error or StorageError; what was removed by then is gone."""
        await run_off_thread(lambda: self._remove(conversation_ids))

    def _chats(self, conversation_ids: Sequence[str]) -> Iterator[WholeChat]:
        for one in conversation_ids:
            try:
                yield self._database.run(lambda store, one=one: read_chat(store, one)).result()  # type: ignore[misc]
            except UnknownConversationError as error:
                logger.warning("a chat was left out of an export: %s", error)

    def _add(self, found: Found) -> Imported:
        """All of them or none: those that were added before a failure are removed again."""
        added: list[str] = []
        try:
            for batch in _batches(found.chats):
                self._database.run(lambda store, batch=batch: add_chats(store, batch)).result()  # type: ignore[misc]
                added += [chat.conversation.id for chat in batch]
            self._database.run(lambda store: order_by_time(store, added)).result()
        except (sqlite3.Error, StorageError) as error:
            return self._take_back(added, f"The chats could not be imported. {explain(error)}")
        return Imported(tuple(added))

    def _take_back(self, added: list[str], problem: str) -> Imported:
        try:
            self._remove(added)
        except (sqlite3.Error, StorageError) as error:
            logger.warning("a part of an import stays: %s", error)
            return Imported(tuple(added), f"{problem} {len(added):,} of them are there and can be deleted.")
        return Imported((), f"{problem} None of them was kept.")

    def _remove(self, conversation_ids: Sequence[str]) -> None:
        for one in conversation_ids:
            self._database.run(lambda store, one=one: store.delete_conversation(one)).result()  # type: ignore[misc]


def _batches(chats: Sequence[WholeChat]) -> Iterator[list[WholeChat]]:
    """A chat is never split, so that none is half there."""
    batch: list[WholeChat] = []
    num_messages = num_characters = 0
    for chat in sorted(chats, key=lambda chat: chat.conversation.updated_at):
        batch.append(chat)
        num_messages += len(chat.messages)
        num_characters += sum(len(message.text) for message in chat.messages)
        if num_messages >= _MOST_MESSAGES or num_characters >= _MOST_CHARACTERS:
            yield batch
            batch, num_messages, num_characters = [], 0, 0
    if batch:
        yield batch
