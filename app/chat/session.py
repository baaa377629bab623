"""One conversation's logic, without widgets."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from app.bridge import EngineBridge
from app.chat.draft import Draft
from app.conversations.database import Database, explain
from app.conversations.exchange import new_exchange, resumed, save_exchange, save_resumed
from app.conversations.live_reply import LiveReply
from app.conversations.opening import StorageError
from app.conversations.recorder import Recorder
from app.conversations.records import CONTINUABLE, Message, OpenedConversation, ReplyState, new_id
from app.conversations.store import Store, UnknownConversationError
from app.conversations.titles import title_from
from app.conversations.turns import turns_of
from app.drafters import DEFAULT_DRAFTER
from engine.messages import Cancel, Delta, Sampling, Submit

T = TypeVar("T")
SAMPLING_DEFAULTS = Sampling()


class ChatSession(QObject):
    """Sends, stops and continues the replies of one conversation, one at a time.

    What a reply comes to is the Recorder's: it goes on when the session is closed. While a reply runs its text grows
    through `reply_extended`; `running` gives all of it.
    """

    message_added = Signal(object)  # Message: the user's, then the empty reply
    reply_extended = Signal(object)  # Delta of the running reply
    reply_changed = Signal(object)  # Message whose state, error or notices changed; also at the end
    progress_changed = Signal(object)  # Progress of the running reply; None when the first token came or it ended
    title_changed = Signal(str)
    busy_changed = Signal(bool)
    trouble = Signal(str)  # a sentence: something could not be saved or read
    not_sent = Signal(object)  # Draft that is not in the conversation; its writer should have it back

    def __init__(
        self,
        database: Database,
        bridge: EngineBridge,
        recorder: Recorder,
        *,
        model: str,
        drafter: str = DEFAULT_DRAFTER,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.conversation_id: str | None = None
        self.title = ""
        self.model = model
        self.drafter = drafter
        self.messages: list[Message] = []
        self._database = database
        self._bridge = bridge
        self._recorder = recorder
        self._began_at = 0.0  # Unix seconds; 0.0 before there is a conversation
        self._live: LiveReply | None = None
        self._has_progress = False
        self._is_busy = False
        self._is_stop_asked = False
        self._is_closed = False

    @property
    def running(self) -> Message | None:
        """The running reply with everything delivered so far."""
        return self._live.message() if self._live else None

    @property
    def is_busy(self) -> bool:
        """Whether a reply runs or is about to: `send` is refused."""
        return self._is_busy

    @property
    def can_continue(self) -> bool:
        """Whether the last message is a reply that did not come to its own end."""
        return not self._is_busy and bool(self.messages) and self.messages[-1].state in CONTINUABLE

    async def open(self, conversation_id: str) -> bool:
        """Show a saved conversation; one whose reply still runs is joined in the middle of it.

        It goes on with the session's model, whichever it was made with: that one may be gone.
        """
        opened = await self._read(conversation_id)
        if opened and self._is_stale(opened):
            opened = await self._read(conversation_id)
        if opened is None or self._is_closed:
            return False
        self.conversation_id = conversation_id
        self._began_at = opened.conversation.created_at
        self.drafter = opened.conversation.drafter or self.drafter
        self.messages = list(opened.messages)
        self._set_title(opened.conversation.title)
        live = self._recorder.live(self.messages[-1].id) if self.messages else None
        if live is not None:
            self.messages[-1] = live.message()
            if not live.has_ended:
                self._set_busy(True)
                self._attach(live)
        for sentence in opened.damaged:
            self.trouble.emit(sentence)
        return True

    async def send(self, draft: Draft) -> bool:
        """Commit the user's message and the empty reply, then submit.

        False where nothing was sent: blank text, a reply is running, or saving failed, which `trouble` explains.
        `not_sent` gives the draft back then, and where anything is raised.
        """
        if self._is_busy or not draft.text.strip():
            self.not_sent.emit(draft)
            return False
        self._set_busy(True)
        is_sent = False
        try:
            is_sent = await self._commit_and_submit(draft.text)
        finally:
            if not is_sent:
                self.not_sent.emit(draft)
                self._set_busy(False)
        return is_sent

    async def _commit_and_submit(self, text: str) -> bool:
        user, reply = new_exchange(
            text,
            conversation_id=self.conversation_id or new_id(),
            parent_id=self.messages[-1].id if self.messages else None,
            model=self.model,
            drafter=self.drafter,
            sampling=SAMPLING_DEFAULTS,
        )
        title = self.title or title_from(user.text)
        new_title = title if self.conversation_id is None else None
        lost = "The message was not sent because it could not be saved."
        if not await self._run(lambda store: save_exchange(store, user, reply, new_title), lost):
            return False
        self.conversation_id = user.conversation_id
        self._began_at = self._began_at or user.created_at
        self._set_title(title)
        for message in (user, reply):
            self.messages.append(message)
            self.message_added.emit(message)
        self._submit(reply)
        return True

    async def continue_reply(self) -> bool:
        """Go on with the last reply where it ended: same seed, sampling and drafter, the session's model.

        One that failed before its first token starts again with the session's drafter too.
        """
        if not self.can_continue:
            return False
        self._set_busy(True)
        reply = resumed(self.messages[-1], self.model, self.drafter)
        lost = "The reply was not continued because that could not be saved."
        is_sent = False
        try:
            if await self._run(lambda store: save_resumed(store, reply), lost):
                self._replace(reply)
                self._submit(reply)
                is_sent = True
        finally:
            if not is_sent:
                self._set_busy(False)
        return is_sent

    def stop(self) -> None:
        """End the running reply and keep what it delivered; does nothing where none runs."""
        if self._live is not None:
            self._bridge.send(Cancel(self._live.request_id))
        elif self._is_busy:
            self._is_stop_asked = True

    def apply_title(self, conversation_id: str, title: str) -> None:
        """Take a title that the catalogue gave to a conversation, if it is this one."""
        if conversation_id == self.conversation_id:
            self._set_title(title)

    def close(self) -> None:
        """Let go of the reply, which runs to its end and is recorded."""
        self._is_closed = True
        self._detach()

    def _submit(self, reply: Message) -> None:
        """Start the reply that stands last in `messages` and is committed."""
        request_id = self._bridge.next_request_id()
        live = self._recorder.begin(request_id, reply)
        if not self._is_closed:
            self._attach(live)
        sampling = replace(SAMPLING_DEFAULTS, temperature=reply.temperature, seed=reply.seed)
        self._bridge.send(
            Submit(
                request_id,
                reply.conversation_id,
                reply.model,
                reply.drafter,
                turns_of(self.messages),
                sampling,
                began_at=self._began_at,
            )
        )
        if self._is_stop_asked:
            self._is_stop_asked = False
            self._bridge.send(Cancel(request_id))

    def _is_stale(self, opened: OpenedConversation) -> bool:
        """The reply's end was written after the conversation was read."""
        last = opened.messages[-1] if opened.messages else None
        return last is not None and last.state is ReplyState.RUNNING and self._recorder.live(last.id) is None

    def _attach(self, live: LiveReply) -> None:
        self._live = live
        self._has_progress = True  # the first token takes any progress away
        live.extended.connect(self._extend)
        live.progressed.connect(self.progress_changed)
        live.changed.connect(self._change)

    def _detach(self) -> None:
        live, self._live = self._live, None
        if live is not None:
            live.extended.disconnect(self._extend)
            live.progressed.disconnect(self.progress_changed)
            live.changed.disconnect(self._change)

    def _extend(self, delta: Delta) -> None:
        self._end_progress()
        self.reply_extended.emit(delta)

    def _change(self, message: Message) -> None:
        has_ended = message.state is not ReplyState.RUNNING
        if has_ended:
            self._detach()
            self._end_progress()
        self._replace(message)
        if has_ended:
            self._set_busy(False)

    def _replace(self, message: Message) -> None:
        self.messages[-1] = message
        self.reply_changed.emit(message)

    def _end_progress(self) -> None:
        if self._has_progress:
            self._has_progress = False
            self.progress_changed.emit(None)

    def _set_title(self, title: str) -> None:
        if title != self.title:
            self.title = title
            self.title_changed.emit(title)

    def _set_busy(self, is_busy: bool) -> None:
        if is_busy != self._is_busy:
            self._is_busy = is_busy
            self._is_stop_asked = False
            self.busy_changed.emit(is_busy)

    async def _read(self, conversation_id: str) -> OpenedConversation | None:
        return await self._run(
            lambda store: store.open_conversation(conversation_id), "The conversation could not be opened."
        )

    async def _run(self, work: Callable[[Store], T], lost: str) -> T | None:
        try:
            return await asyncio.wrap_future(self._database.run(work))
        except UnknownConversationError as error:
            self.trouble.emit(str(error))
        except (sqlite3.Error, StorageError) as error:
            self.trouble.emit(f"{lost} {explain(error)}")
        return None
