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
    deleted = Signal(str)  # conversation id
    trouble = Signal(str)

    def __init__(self, database: Database, recorder: Recorder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.conversations: tuple[Conversation, ...] = ()
        self.damaged: tuple[str, ...] = ()  # a sentence for each conversation that cannot be read
        self._listed: tuple[Conversation, ...] = ()
        self._hidden: set[str] = set()  # ids of conversations
        self._database = database
        self._recorder = recorder

    async def refresh(self) -> None:
        try:
            listing = await asyncio.wrap_future(self._database.run(lambda store: store.list_conversations()))
        except (sqlite3.Error, StorageError) as error:
            self.trouble.emit(f"The conversations could not be listed. {explain(error)}")
            return
        fresh = [sentence for sentence in listing.damaged if sentence not in self.damaged]
        self._listed, self.damaged = listing.conversations, listing.damaged
        self._tell()
        if fresh:
            self.trouble.emit(" ".join(fresh))

    def title_of(self, conversation_id: str) -> str:
        return next((one.title for one in self._listed if one.id == conversation_id), "")

    def hide(self, conversation_id: str) -> None:
        """List it no more until it is shown again."""
        self._hidden.add(conversation_id)
        self._tell()

    def show(self, conversation_id: str) -> None:
        self._hidden.discard(conversation_id)
        self._tell()

    def _tell(self) -> None:
        self.conversations = tuple(one for one in self._listed if one.id not in self._hidden)
        self.conversations_changed.emit()

    async def rename(self, conversation_id: str, title: str) -> None:
        """A blank title changes nothing."""
        title = clean_title(title)
        if title and await self._change(lambda store: store.rename_conversation(conversation_id, title), "renamed"):
            self.renamed.emit(conversation_id, title)
            await self.refresh()

    async def delete(self, conversation_id: str) -> bool:
        """A reply that runs in it is cancelled once it is gone, and nothing of it is written afterwards."""
        is_gone = await self._change(lambda store: store.delete_conversation(conversation_id), "deleted")
        if is_gone:
            self._recorder.abandon(conversation_id)
            self.deleted.emit(conversation_id)
            await self.refresh()
        return is_gone

    async def _change(self, work: Callable[[Store], None], done: str) -> bool:
        try:
            await asyncio.wrap_future(self._database.run(work))
        except (sqlite3.Error, StorageError) as error:
            self.trouble.emit(f"The conversation could not be {done}. {explain(error)}")
            return False
        return True
