"""CacheKeeper: tells the engine which conversations its prompt cache serves, and hears what befalls that."""

from __future__ import annotations

import asyncio
import logging
import sqlite3

from PySide6.QtCore import QObject, Signal

from app.bridge import EngineBridge
from app.conversations.database import Database
from app.conversations.opening import StorageError
from engine.messages import ConversationDeleted, DeleteConversation, Event, KeepConversations, Notice

logger = logging.getLogger(__name__)
REMOVAL_SECONDS = 2.0  # what is left of a conversation then is collected by the engine, days later


class CacheKeeper(QObject):
    told = Signal(str)  # a sentence on what has befallen the cache, each once

    def __init__(self, database: Database, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._database = database
        self._bridge = bridge
        self._removals: dict[str, asyncio.Event] = {}  # by conversation id
        self._told: set[str] = set()
        bridge.received.connect(self._receive)

    async def keep_all(self) -> None:
        """Name every conversation; to be called only where the database opened undamaged."""
        try:
            ids = await asyncio.wrap_future(self._database.run(lambda store: store.conversation_ids()))
        except (sqlite3.Error, StorageError) as error:
            logger.warning("the conversations were not read, so no saved prompt is collected: %s", error)
            return
        self._bridge.send(KeepConversations(ids))

    async def remove(self, conversation_id: str) -> None:
        """Have what is saved of a conversation removed, and wait for it as long as a user would."""
        removal = self._removals[conversation_id] = asyncio.Event()
        self.remove_later(conversation_id)
        try:
            await asyncio.wait_for(removal.wait(), REMOVAL_SECONDS)
        except TimeoutError:
            logger.warning("the saved prompts of a deleted conversation were not removed in %.0f s", REMOVAL_SECONDS)
        finally:
            self._removals.pop(conversation_id, None)

    def remove_later(self, conversation_id: str) -> None:
        """The same without waiting."""
        self._bridge.send(DeleteConversation(conversation_id))

    def _receive(self, event: Event) -> None:
        match event:
            case ConversationDeleted(conversation_id=conversation_id, problem=problem):
                if (removal := self._removals.get(conversation_id)) is not None:
                    removal.set()
                self._tell(problem)
            case Notice(request_id=0, code="cache", text=text):
                self._tell(text)

    def _tell(self, sentence: str) -> None:
        if sentence and sentence not in self._told:
            self._told.add(sentence)
            self.told.emit(sentence)
