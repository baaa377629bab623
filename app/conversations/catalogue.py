"""The list of conversations that the sidebar shows."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.conversations.database import Database, explain
from app.conversations.opening import StorageError
from app.conversations.recorder import Recorder
from app.conversations.records import Conversation
from app.conversations.store import Store
from app.conversations.titles import clean_title


class Catalogue(QObject):
    """Conversations, latest used first, as they were at the last `refresh`."""

    conversations_changed = Signal()
    renamed = Signal(str, str)  # conversation id, title
    deleting = Signal(str)  # conversation id; deleted or not_deleted follows
    deleted = Signal(str)  # conversation id
    not_deleted = Signal(str)  # conversation id
    trouble = Signal(str)

    def __init__(self, database: Database, recorder: Recorder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.conversations: tuple[Conversation, ...] = ()
        self.damaged: tuple[str, ...] = ()  # a sentence for each conversation that cannot be read
        self._database = database
        self._recorder = recorder

    async def refresh(self) -> None:
        try:
            listing = await asyncio.wrap_future(self._database.run(lambda store: store.list_conversations()))
        except (sqlite3.Error, StorageError) as error:
            self.trouble.emit(f"The conversations could not be listed. {explain(error)}")
            return
        fresh = [sentence for sentence in listing.damaged if sentence not in self.damaged]
        self.conversations, self.damaged = listing.conversations, listing.damaged
        self.conversations_changed.emit()
        if fresh:
            self.trouble.emit(" ".join(fresh))

    async def rename(self, conversation_id: str, title: str) -> None:
        """A blank title changes nothing."""
        title = clean_title(title)
        if title and await self._change(lambda store: store.rename_conversation(conversation_id, title), "renamed"):
            self.renamed.emit(conversation_id, title)
            await self.refresh()

    async def delete(self, conversation_id: str) -> None:
        """A reply that runs in it is cancelled once it is gone, and nothing of it is written afterwards."""
        self.deleting.emit(conversation_id)
        if await self._change(lambda store: store.delete_conversation(conversation_id), "deleted"):
            self._recorder.abandon(conversation_id)
            self.deleted.emit(conversation_id)
            await self.refresh()
        else:
            self.not_deleted.emit(conversation_id)

    async def _change(self, work: Callable[[Store], None], done: str) -> bool:
        try:
            await asyncio.wrap_future(self._database.run(work))
        except (sqlite3.Error, StorageError) as error:
            self.trouble.emit(f"The conversation could not be {done}. {explain(error)}")
            return False
        return True
