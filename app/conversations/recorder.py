"""Journals running replies, so that neither a closed tab nor a killed program loses them."""

from __future__ import annotations

import logging
from collections import deque
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.bridge import EngineBridge
from app.conversations.database import Database, explain, is_disk_full
from app.conversations.live_reply import LiveReply, ReplyEvent
from app.conversations.records import Message
from engine.messages import Cancel, Event, ModelLoaded

logger = logging.getLogger(__name__)
JOURNAL_MILLISECONDS = 500


class Recorder(QObject):
    """Holds every reply from its start until its end is on the disk; made before any session, on the GUI thread."""

    began = Signal(object)  # LiveReply, before its Submit is sent
    abandoned = Signal(object)  # LiveReply of a chat that is deleted
    trouble = Signal(str)  # a sentence, once, until all that could not be written is
    disk_full = Signal(str)  # the same, where that is why
    recovered = Signal(str)  # that sentence, once it is past
    saved = Signal(str)  # id of a message whose end is on the disk
    _write_ended = Signal(object)  # emitted on the database thread

    def __init__(self, database: Database, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._database = database
        self._bridge = bridge
        self._by_request: dict[int, LiveReply] = {}
        self._by_message: dict[str, LiveReply] = {}
        self._being_written: list[LiveReply] | None = None
        self._waiting: deque[list[LiveReply]] = deque()  # batches to be written after that one
        self._failing: set[str] = set()  # ids of messages that could not be written, each tried alone
        self._told = ""  # the sentence about them
        self._is_closed = False
        self._timer = QTimer(self)
        self._timer.setInterval(JOURNAL_MILLISECONDS)
        self._timer.timeout.connect(self._write)
        self._write_ended.connect(self._finish_write, Qt.ConnectionType.QueuedConnection)
        bridge.received.connect(self._receive)

    def begin(self, request_id: int, message: Message) -> LiveReply:
        """Record a reply that is in the database already; called before its Submit is sent."""
        reply = LiveReply(request_id, message)
        facts = self._bridge.facts_of(message.model)
        if facts is not None:
            reply.use_facts(facts)
        self._by_request[request_id] = reply
        self._by_message[message.id] = reply
        self._timer.start()
        self.began.emit(reply)
        return reply

    def live(self, message_id: str) -> LiveReply | None:
        """The reply while it runs and until its end is on the disk."""
        return self._by_message.get(message_id)

    def running_in(self, conversation_id: str) -> LiveReply | None:
        """The reply of a conversation that has not ended."""
        replies = (reply for reply in self._by_message.values() if reply.conversation_id == conversation_id)
        return next((reply for reply in replies if not reply.has_ended), None)

    def unsaved_in(self, conversation_id: str) -> tuple[Message, ...]:
        """What of a conversation's replies may not be on the disk yet."""
        replies = (reply for reply in self._by_message.values() if reply.conversation_id == conversation_id)
        return tuple(reply.message() for reply in replies)

    def abandon(self, conversation_id: str) -> None:
        """Cancel the replies of a conversation that is deleted; nothing of them is written from here on."""
        for reply in list(self._by_message.values()):
            if reply.conversation_id == conversation_id:
                self._drop(reply)
                self.abandoned.emit(reply)
                self._bridge.send(Cancel(reply.request_id))

    def flush(self, timeout_seconds: float = 5.0) -> bool:
        """Write all that is held and wait for it, then write no more; for the end, after the bridge has stopped.

        False where a reply was not saved.
        """
        self._timer.stop()
        self._is_closed = True
        messages = [reply.message() for reply in self._by_message.values()]
        if self._save_now(messages, timeout_seconds) is None:
            return True
        errors = [self._save_now([message], timeout_seconds) for message in messages]
        for error in errors:
            if error is not None:
                logger.error("a reply was not saved at the end: %s", error)
        return not any(errors)

    def _save_now(self, messages: list[Message], timeout_seconds: float) -> BaseException | None:
        try:
            return self._database.run(lambda store: store.save_replies(messages)).exception(timeout_seconds)
        except FutureTimeoutError as error:
            return error

    def _receive(self, event: Event) -> None:
        if isinstance(event, ModelLoaded):
            for reply in self._by_request.values():
                if reply.model == event.facts.target:
                    reply.use_facts(event.facts)
        elif isinstance(event, ReplyEvent) and event.request_id in self._by_request:
            reply = self._by_request[event.request_id]
            reply.receive(event)
            if reply.has_ended:
                del self._by_request[event.request_id]
                self._write()

    def _write(self) -> None:
        """Hand what changed to the database thread; one batch at a time, so that a slow disk piles nothing up."""
        if self._being_written is not None or self._is_closed:
            return
        dirty = [reply for reply in self._by_message.values() if reply.is_dirty]
        sound = [reply for reply in dirty if reply.message_id not in self._failing]
        self._waiting.extend([sound] if sound else [])
        self._waiting.extend([reply] for reply in dirty if reply.message_id in self._failing)
        if not self._by_message:
            self._timer.stop()
        self._write_next()

    def _write_next(self) -> None:
        if not self._waiting or self._is_closed:
            return
        batch = self._waiting.popleft()
        messages = [reply.message() for reply in batch]
        for reply in batch:
            reply.is_dirty = False
        self._being_written = batch
        self._database.run(lambda store: store.save_replies(messages)).add_done_callback(self._write_ended.emit)

    def _finish_write(self, future: Future[None]) -> None:
        batch, self._being_written = self._being_written or [], None
        error = future.exception()
        if error is None:
            self._settle(batch)
        else:
            self._keep_for_later(batch, error)
        if self._waiting:
            self._write_next()
        elif self._has_unsaved_end():
            self._write()

    def _settle(self, batch: list[LiveReply]) -> None:
        """Let go of what is on the disk with its end."""
        for reply in batch:
            self._forgive(reply)
            if reply.has_ended and not reply.is_dirty and self._by_message.get(reply.message_id) is reply:
                self._drop(reply)
                self.saved.emit(reply.message_id)

    def _drop(self, reply: LiveReply) -> None:
        del self._by_message[reply.message_id]
        self._forgive(reply)

    def _forgive(self, reply: LiveReply) -> None:
        """It is on the disk, or is not to be."""
        self._failing.discard(reply.message_id)
        if self._told and not self._failing:
            told, self._told = self._told, ""
            self.recovered.emit(told)

    def _has_unsaved_end(self) -> bool:
        ends = (reply for reply in self._by_message.values() if reply.has_ended and reply.is_dirty)
        return any(reply.message_id not in self._failing for reply in ends)

    def _keep_for_later(self, batch: list[LiveReply], error: BaseException) -> None:
        """Try the replies of a batch one by one: one that cannot be written keeps no other from the disk."""
        for reply in batch:
            reply.is_dirty = True
        if len(batch) > 1:
            self._waiting.extendleft([reply] for reply in reversed(batch))
            return
        was_well = not self._failing
        self._failing.update(reply.message_id for reply in batch if reply.message_id in self._by_message)
        if was_well and self._failing:
            logger.warning("a running reply was not saved and is kept in memory: %s", error)
            self._told = (
                f"Replies cannot be saved at the moment. {explain(error)} "
                "They stay on screen and are saved as soon as that is possible."
            )
            (self.disk_full if is_disk_full(error) else self.trouble).emit(self._told)
