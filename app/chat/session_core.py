"""SessionCore: a chat's state, the reply that runs in it, and its place in the database."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from app.bridge import EngineBridge
from app.chat.plan import Planner
from app.chat.session_path import ShownPath
from app.conversations.database import Database, explain, is_disk_full
from app.conversations.live_reply import LiveReply
from app.conversations.opening import StorageError
from app.conversations.recorder import Recorder
from app.conversations.records import ChatChoices, Message, OpenedConversation, ReplyState
from app.conversations.store import Store, UnknownConversationError
from app.conversations.turns import with_system
from engine.messages import Cancel, Delta, Notice, Progress, Submit, Turn

T = TypeVar("T")


class SessionCore(QObject):
    """What a reply comes to is the Recorder's: it goes on when the session is closed.

    While a reply runs its text grows through `reply_extended`; `running` gives all of it. A reply on a branch that is
    not shown runs on unseen, and still makes the session busy.
    """

    message_added = Signal(object)  # Message: the user's, then the empty reply
    path_changed = Signal()  # other messages are shown
    reply_extended = Signal(object)  # Delta of the running reply
    reply_changed = Signal(object)  # Message whose state, error or notices changed; also at the end
    progress_changed = Signal(object)  # Progress, or the Notice that it waits; None once a token came or it ended
    title_changed = Signal(str)
    busy_changed = Signal(bool)
    reply_begun = Signal()
    trouble = Signal(str)  # a sentence: something could not be saved or read
    disk_full = Signal()  # which is why; `trouble` tells what was not saved
    not_sent = Signal(object)  # Draft that is not in the conversation; its writer should have it back

    def __init__(
        self,
        database: Database,
        bridge: EngineBridge,
        recorder: Recorder,
        planner: Planner,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.conversation_id: str | None = None
        self.title = ""
        self.drafter = ""  # that was chosen for the chat; "" is the model's
        self.preset = ""  # likewise, its id
        self.folder = ""  # that the chat is made in
        self.switches: tuple[tuple[str, str], ...] = ()
        self.began_at = 0.0  # Unix seconds; 0.0 before there is a conversation
        self.planner = planner
        self._path = ShownPath()
        self._database = database
        self._bridge = bridge
        self._recorder = recorder
        self._live: LiveReply | None = None
        self._has_progress = False
        self._num_holds = 0  # replies that are about to begin
        self._lock = asyncio.Lock()  # of the path: it changes by one thing at a time
        self._was_busy = False
        self._is_stop_asked = False
        self._is_closed = False

    @property
    def model(self) -> str:
        """The target that it is made with."""
        return self.planner.target

    @property
    def choices(self) -> ChatChoices:
        return ChatChoices(self.drafter, self.preset, self.switches, self.folder)

    @property
    def messages(self) -> list[Message]:
        """The path that is shown, root first; a running reply stands in it as it began."""
        return self._path.messages

    @property
    def siblings(self) -> Mapping[str, tuple[str, ...]]:
        """By the id of a shown message that is not alone: all that stand in its place, itself too, oldest first."""
        return self._path.siblings

    @property
    def running(self) -> Message | None:
        """The running reply with everything delivered so far."""
        return self._live.message() if self._live else None

    @property
    def is_busy(self) -> bool:
        """Whether a reply runs or is about to: `send` is refused."""
        return self._live is not None or self._num_holds > 0

    async def open(self, conversation_id: str) -> bool:
        """Show a saved conversation; one whose reply still runs is joined in the middle of it.

        It goes on with the session's model, whichever it was made with: that one may be gone.
        """
        lost = "The conversation could not be opened."
        opened = await self._run(lambda store: store.open_conversation(conversation_id), lost)
        if opened and self._is_stale(opened):
            opened = await self._run(lambda store: store.open_conversation(conversation_id), lost)
        if opened is None or self._is_closed:
            return False
        self.conversation_id = conversation_id
        self.began_at = opened.conversation.created_at
        self.drafter, self.preset = opened.conversation.drafter, opened.conversation.preset
        self.switches = opened.conversation.switches
        self._take_path(opened)
        self._set_title(opened.conversation.title)
        if (live := self._recorder.running_in(conversation_id)) is not None:
            self._attach(live)
        for sentence in opened.damaged:
            self.trouble.emit(sentence)
        return True

    def close(self) -> None:
        """Let go of the reply, which runs to its end and is recorded."""
        self._is_closed = True
        self._detach()

    async def come_to_rest(self) -> None:
        """Wait for all that was begun and changes the chat."""
        async with self._lock:
            pass

    def apply_title(self, conversation_id: str, title: str) -> None:
        """Take a title that the catalogue gave to a conversation, if it is this one."""
        if conversation_id == self.conversation_id:
            self._set_title(title)

    # One thing at a time

    @contextmanager
    def _holding(self) -> Iterator[None]:
        """Be busy until a reply runs, or is not going to."""
        self._num_holds += 1
        self._tell_busy()
        try:
            yield
        finally:
            self._num_holds -= 1
            self._tell_busy()

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Change the path while nothing else does: a reply that runs is stopped, and has ended."""
        async with self._lock:
            if (live := self._live) is not None:
                await self._end(live)
            yield

    async def _end(self, live: LiveReply) -> None:
        ended = asyncio.Event()
        connection = live.changed.connect(lambda message: ended.set() if live.has_ended else None)
        self._bridge.send(Cancel(live.request_id))
        await ended.wait()
        QObject.disconnect(connection)

    # The reply

    def _submit(self, reply: Message) -> None:
        """Start the reply that stands last in `messages` and is committed."""
        request_id = self._bridge.next_request_id()
        live = self._recorder.begin(request_id, reply)
        if not self._is_closed:
            self._attach(live)
        self._bridge.send(self._submit_for(request_id, reply, self._path.prompt()))
        self.reply_begun.emit()
        if self._is_stop_asked:
            self._is_stop_asked = False
            self._bridge.send(Cancel(request_id))

    def _submit_for(self, request_id: int, reply: Message, turns: tuple[Turn, ...]) -> Submit:
        """With what the reply is made with, which it keeps whatever is chosen for later ones."""
        sampling = replace(reply.rules, temperature=reply.temperature, seed=reply.seed)
        return Submit(
            request_id,
            reply.conversation_id,
            reply.model,
            reply.drafter,
            with_system(reply.system_prompt, turns),
            sampling,
            reply.kv,
            self.began_at,
            reply.switches,
            reply.template,
            reply.context_length,
        )

    def _attach(self, live: LiveReply) -> None:
        self._live = live
        self._has_progress = True  # the first token takes any progress away
        live.extended.connect(self._extend)
        live.progressed.connect(self._show_progress)
        live.changed.connect(self._change)
        self._tell_busy()

    def _detach(self) -> None:
        live, self._live = self._live, None
        if live is not None:
            live.extended.disconnect(self._extend)
            live.progressed.disconnect(self._show_progress)
            live.changed.disconnect(self._change)

    @property
    def _is_live_shown(self) -> bool:
        return self._live is not None and bool(self.messages) and self.messages[-1].id == self._live.message_id

    def _extend(self, delta: Delta) -> None:
        self._end_progress()
        if self._is_live_shown:
            self.reply_extended.emit(delta)

    def _show_progress(self, progress: Progress | Notice) -> None:
        if self._is_live_shown:
            self.progress_changed.emit(progress)

    def _change(self, message: Message) -> None:
        if message.state is not ReplyState.RUNNING:
            self._detach()
            self._end_progress()
        self._put(message)
        self._tell_busy()

    def _put(self, message: Message) -> None:
        if self._path.put(message):
            self.reply_changed.emit(message)

    def _end_progress(self) -> None:
        if self._has_progress:
            self._has_progress = False
            self.progress_changed.emit(None)

    def _set_title(self, title: str) -> None:
        if title != self.title:
            self.title = title
            self.title_changed.emit(title)

    def _tell_busy(self) -> None:
        if self.is_busy != self._was_busy:
            self._was_busy, self._is_stop_asked = self.is_busy, False
            self.busy_changed.emit(self.is_busy)

    def _tell_path(self) -> None:
        """Other messages are shown; one that runs, with what it has come to."""
        if (running := self.running) is not None:
            self._path.put(running)
        self.path_changed.emit()

    # The database

    def _take_path(self, opened: OpenedConversation) -> None:
        """Show what was read; the recorder knows more of a reply that runs or has just ended."""
        lives = ((message, self._recorder.live(message.id)) for message in opened.messages)
        self._path.take([live.message() if live else message for message, live in lives], opened.siblings)

    def _is_stale(self, opened: OpenedConversation) -> bool:
        """A reply's end was written after the conversation was read."""
        running = (message for message in opened.messages if message.state is ReplyState.RUNNING)
        return any(self._recorder.live(message.id) is None for message in running)

    async def _write(self, work: Callable[[Store], T], lost: str) -> T | None:
        """Change the conversation, behind everything that its replies have come to."""
        unsaved = self._recorder.unsaved_in(self.conversation_id or "")

        def write(store: Store) -> T:
            store.save_replies(unsaved)
            return work(store)

        return await self._run(write, lost)

    async def _run(self, work: Callable[[Store], T], lost: str) -> T | None:
        try:
            return await asyncio.wrap_future(self._database.run(work))
        except UnknownConversationError as error:
            self.trouble.emit(str(error))
        except (sqlite3.Error, StorageError) as error:
            self.trouble.emit(f"{lost} {explain(error)}")
            if is_disk_full(error):
                self.disk_full.emit()
        return None
