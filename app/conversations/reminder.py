"""Reminder: tells the engine which past replies its drafters may learn from, and which they must forget."""

from __future__ import annotations

import asyncio
import logging
import sqlite3

from PySide6.QtCore import QObject

from app.bridge import EngineBridge
from app.conversations.database import Database
from app.conversations.opening import StorageError
from app.conversations.past_replies import read_past_replies
from app.tasks import start
from engine.messages import Event, Failed, ForgetConversation, ModelFacts, ModelLoaded, RememberReplies

logger = logging.getLogger(__name__)


class Reminder(QObject):
    """Sends the saved replies once for each load of a target; every request that waited for the load tells of it."""

    def __init__(self, database: Database, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._database = database
        self._bridge = bridge
        self._loaded: dict[str, ModelFacts] = {}  # by target
        self._forgotten: set[str] = set()  # ids of conversations; a reading that is under way may still hold them
        self._is_closed = False
        bridge.received.connect(self._receive)

    def forget(self, conversation_id: str) -> None:
        """Take a conversation out of what drafters learn from, at once."""
        self._forgotten.add(conversation_id)
        self._bridge.send(ForgetConversation(conversation_id))

    def relearn(self, conversation_id: str) -> None:
        """Forget a conversation and let drafters learn from what is left of it; to be called while nothing runs in it.

        What the prompt cache saved of messages that are gone stays, as the beginning of branches that may be left,
        until the conversation is deleted or its room is needed.
        """
        if conversation_id not in self._forgotten and not self._is_closed:
            self._bridge.send(ForgetConversation(conversation_id))
            self.restore(conversation_id)

    def restore(self, conversation_id: str) -> None:
        """Let drafters learn again from a conversation that was forgotten and is still there."""
        self._forgotten.discard(conversation_id)
        for facts in self._loaded.values():
            start(self._remember(facts, conversation_id))

    def close(self) -> None:
        """Begin no further reading."""
        self._is_closed = True

    def _receive(self, event: Event) -> None:
        match event:
            case ModelLoaded(facts=facts) if self._loaded.get(facts.target) != facts and not self._is_closed:
                self._loaded[facts.target] = facts
                start(self._remember(facts))
            case Failed(request_id=0):
                self._loaded.clear()  # the engine let go of every target

    async def _remember(self, facts: ModelFacts, conversation_id: str | None = None) -> None:
        reading = self._database.run(lambda store: read_past_replies(store, facts, conversation_id))
        try:
            replies = await asyncio.wrap_future(reading)
        except (sqlite3.Error, StorageError) as error:
            logger.warning("past replies were not read, so drafters begin without them: %s", error)
            return
        kept = tuple(reply for reply in replies if reply[0] not in self._forgotten)
        if kept:
            self._bridge.send(RememberReplies(facts.target, kept))
