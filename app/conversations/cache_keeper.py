"""CacheKeeper: tells the engine which conversations its prompt cache serves, and hears what befalls that."""

from __future__ import annotations

import asyncio
import logging
import sqlite3

from PySide6.QtCore import QObject, QTimer, Signal

from app.bridge import EngineBridge
from app.conversations.database import Database
from app.conversations.opening import StorageError
from app.tasks import start
from engine.messages import (
    Answer,
    CacheReport,
    ConversationDeleted,
    DeleteConversation,
    DescribeCache,
    Event,
    Finished,
    KeepConversations,
    Notice,
)

logger = logging.getLogger(__name__)
SAVED_MILLISECONDS = 3000  # after a reply, when what it leaves is on the disk if the disk takes it
REMOVAL_SECONDS = 2.0  # what is left of a conversation then is collected by the engine, days later


class CacheKeeper(QObject):
    told = Signal(str)  # a sentence on what has befallen the cache, each once while it lasts
    untold = Signal(str)  # one of them, once it holds no longer

    def __init__(self, database: Database, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._database = database
        self._bridge = bridge
        self._removals: dict[str, asyncio.Future[bool]] = {}  # by conversation id
        self._unremoved: dict[str, None] = {}  # ids of conversations that the engine has not answered for
        self._keeps = False  # whether the engine may know which conversations there are
        self._told: set[str] = set()
        self._latest = ""  # sentence of the engine that may name a state or an event
        self._standing = ""  # sentence that names a state, as a report has shown
        self._asks = QTimer(self)
        self._asks.setSingleShot(True)
        self._asks.setInterval(SAVED_MILLISECONDS)
        self._asks.timeout.connect(self._ask)
        bridge.received.connect(self._receive)

    async def keep_all(self) -> None:
        """Name every conversation; to be called only where the database opened undamaged."""
        self._keeps = True
        try:
            ids = await asyncio.wrap_future(self._database.run(lambda store: store.conversation_ids()))
        except (sqlite3.Error, StorageError) as error:
            logger.warning("the conversations were not read, so no saved prompt is collected: %s", error)
            return
        self._bridge.send(KeepConversations(ids))

    def tell_again(self) -> None:
        """Tell an engine that was started anew what the one before knew, and what no engine has removed."""
        for conversation_id in self._unremoved:
            self._bridge.send(DeleteConversation(conversation_id))
        if self._keeps:
            start(self.keep_all())

    async def remove(self, conversation_id: str) -> None:
        """Have what is saved of a conversation removed, and wait for it as long as a user would."""
        # wait_for needs a loop that runs; at the end of a window Qt may take this step when none does.
        loop = asyncio.get_event_loop()
        removal = self._removals[conversation_id] = loop.create_future()
        timer = loop.call_later(REMOVAL_SECONDS, self._end_removal, conversation_id, False)
        self.remove_later(conversation_id)
        if not await removal:
            logger.warning("the saved prompts of a deleted conversation were not removed in %.0f s", REMOVAL_SECONDS)
        timer.cancel()

    def remove_later(self, conversation_id: str) -> None:
        """The same without waiting."""
        self._unremoved[conversation_id] = None
        self._bridge.send(DeleteConversation(conversation_id))

    def _receive(self, event: Event) -> None:
        match event:
            case ConversationDeleted(conversation_id=conversation_id, problem=problem):
                self._end_removal(conversation_id, True)
                if not problem:
                    self._unremoved.pop(conversation_id, None)
                self._tell(problem)
            case Notice(request_id=0, code="cache", text=text):
                self._latest = text
                self._tell(text)
                self._ask()
            case Answer(value=CacheReport(problem=problem)):
                self._take_problem(problem)
            case Finished() if self._standing:  # not Failed, which may answer the question itself
                self._asks.start()

    def _ask(self) -> None:
        self._bridge.send(DescribeCache(self._bridge.next_request_id()))

    def _take_problem(self, problem: str) -> None:
        """The engine tells when something begins, not when it is over: that shows in a report."""
        if problem and self._latest.startswith(problem):
            self._standing = self._latest
        elif not problem and self._standing:
            over, self._standing = self._standing, ""
            self._told.discard(over)
            self.untold.emit(over)

    def _end_removal(self, conversation_id: str, has_answer: bool) -> None:
        removal = self._removals.pop(conversation_id, None)
        if removal is not None and not removal.done():
            removal.set_result(has_answer)

    def _tell(self, sentence: str) -> None:
        if sentence and sentence not in self._told:
            self._told.add(sentence)
            self.told.emit(sentence)
