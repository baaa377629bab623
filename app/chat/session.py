"""One conversation's logic, without widgets."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.bridge import EngineBridge
from app.chat.checking import Checking
from app.chat.draft import Draft
from app.chat.plan import Planner, ReplyPlan
from app.chat.session_branches import SessionBranches
from app.conversations.database import Database
from app.conversations.exchange import new_exchange, new_reply, resumed, save_exchange, save_reply, save_resumed
from app.conversations.recorder import Recorder
from app.conversations.records import Message, new_id
from app.conversations.store import Store
from app.conversations.titles import title_from
from app.conversations.turns import with_system
from app.models.names import model_name
from engine.messages import Cancel, Turn


class ChatSession(SessionBranches):
    """Sends, stops, repeats, continues and checks the replies of one conversation, one at a time."""

    checked = Signal(object)  # Check of a reply: how far it has come, then what was found

    def __init__(
        self,
        database: Database,
        bridge: EngineBridge,
        recorder: Recorder,
        planner: Planner,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(database, bridge, recorder, planner, parent)
        self._checking = Checking(bridge, self)
        self._checking.changed.connect(self.checked)
        planner.changed.connect(self.choices_changed)

    @property
    def can_continue(self) -> bool:
        """Whether the last message is a reply that did not come to its own end."""
        return not self.is_busy and self._path.can_continue

    def turns_for(self, draft: Draft) -> tuple[Turn, ...]:
        """What the prompt would be if a draft were sent now; one without a text gives the chat alone."""
        index = self._path.index_of(draft.edits) if draft.edits else None
        written = Message("", "", None, "user", draft.text, attachments=draft.attachments)
        turns = self._path.turns(index, [written] if draft else [], draft.num_left_out)
        return with_system(self.plan.system_prompt, turns)

    def send(self, draft: Draft) -> Coroutine[Any, Any, bool]:
        """Commit the user's message and the empty reply, then submit; an edit stops a reply that runs.

        The session is busy from this call on, so that a tab which closes before the coroutine runs leaves it whole.
        False where nothing was sent: nothing was written, a reply is running, or saving failed, which `trouble`
        explains. `not_sent` gives the draft back then, and where anything is raised.
        """
        held = ExitStack()
        is_refused = (self.is_busy and not draft.edits) or not (draft.text.strip() or draft.attachments)
        if not is_refused:
            held.enter_context(self._holding())
        return self._send(draft, held, is_refused)

    async def _send(self, draft: Draft, held: ExitStack, is_refused: bool) -> bool:
        is_sent = False
        with held:
            try:
                if not is_refused:
                    async with self._alone():
                        is_sent = await self._commit_and_submit(draft)
            finally:
                if not is_sent:
                    self.not_sent.emit(draft)
        return is_sent

    async def _commit_and_submit(self, draft: Draft) -> bool:
        index = self._path.index_of(draft.edits) if draft.edits else len(self.messages)
        if index is None:
            self.trouble.emit("The message that was edited is not shown any more. Send the text as a new message.")
            return False
        user, reply = new_exchange(
            draft.text,
            conversation_id=self.conversation_id or new_id(),
            parent_id=self.messages[index - 1].id if index else None,
            plan=await self._plan_next(),
            switches=self.switches,
            attachments=draft.attachments,
            num_left_out=self._path.num_left_out(index, draft.num_left_out),
        )
        title = self.title or title_from(user.text or user.attachments[0].name)
        new_title = title if self.conversation_id is None else None
        choices = self.choices
        lost = "The message was not sent because it could not be saved."

        def save(store: Store) -> bool:
            return save_exchange(store, user, reply, new_title, choices)

        if not await self._write(save, lost):
            return False
        self.conversation_id = user.conversation_id
        self.began_at = self.began_at or user.created_at
        self._set_title(title)
        self._show_and_submit(index, (user, reply))
        return True

    async def regenerate(self, message_id: str) -> bool:
        """Reply once more, in a branch of its own, in place of a reply or behind a user's message.

        A reply that runs is stopped first.
        """
        if self._num_holds:
            return False
        with self._holding():
            async with self._alone():
                index = self._path.index_of(message_id)
                if index is None:
                    return False
                index += self.messages[index].role == "user"
                return index > 0 and await self._reply_once_more(index)

    async def _reply_once_more(self, index: int) -> bool:
        reply, choices = new_reply(self.messages[index - 1], await self._plan_next(), self.switches), self.choices
        lost = "No other reply was begun because that could not be saved."
        if not await self._write(lambda store: save_reply(store, reply, choices), lost):
            return False
        self._show_and_submit(index, (reply,))
        return True

    async def _plan_next(self) -> ReplyPlan:
        """What the next reply is made with; its preset is the chat's from then on."""
        await self.planner.know_model()
        self.preset = self.planner.preset_of(self.preset).id
        self.planner.presets.use(self.preset)
        return await self.planner.with_usable_drafter(self.plan)

    def _show_and_submit(self, index: int, messages: Sequence[Message]) -> None:
        if self._path.go_on(index, messages):
            self._tell_path()
        else:
            for message in messages:
                self.message_added.emit(message)
        self._submit(messages[-1])

    async def continue_reply(self) -> bool:
        """Go on with the last reply where it ended, by the session's model; with what it was made with otherwise.

        One that failed before its first token is made with what holds for the next reply.
        """
        if not self.can_continue:
            return False
        with self._holding():
            async with self._alone():
                return self._path.can_continue and await self._resume(self.messages[-1])

    async def _resume(self, reply: Message) -> bool:
        """Where another model wrote what there is, that is said with the reply."""
        written_by = reply.model
        plan, choices = self.plan if reply.text else await self._plan_next(), self.choices
        reply = await self._with_usable_drafter(resumed(reply, plan, self.switches))
        if reply.text and written_by not in ("", reply.model):
            words = f"{model_name(reply.model)} goes on where {model_name(written_by)} ended."
            reply = replace(reply, notices=(*reply.notices, words))
        lost = "The reply was not continued because that could not be saved."
        if not await self._write(lambda store: save_resumed(store, reply, choices), lost):
            return False
        self._put(reply)
        self._submit(reply)
        return True

    async def _with_usable_drafter(self, reply: Message) -> Message:
        """A reply that goes on may have been begun with one that is gone; of an empty one the plan said so."""
        if not reply.text:
            return reply
        drafter, notice = await self.planner.usable_drafter(reply.drafter, reply.model)
        return replace(reply, drafter=drafter, notices=(*reply.notices, notice)) if notice else reply

    def stop(self) -> None:
        """End the running reply, or a check, and keep what it delivered; does nothing where none runs."""
        self._checking.stop()
        self._is_stop_asked = self._num_holds > 0
        if self._live is not None:
            self._bridge.send(Cancel(self._live.request_id))

    def check(self, message_id: str) -> bool:
        """Repeat a reply without a drafter, unrecorded; `checked` tells what comes of it.

        False where a check runs already, which ends if it is of this reply, or where none can be made of it.
        """
        if self._checking.message_id == message_id:
            self._checking.stop()
            return False
        index = self._path.index_of(message_id)
        if index is None or self.messages[index].role != "assistant":
            return False
        reply, request_id = self.messages[index], self._bridge.next_request_id()
        submit = self._submit_for(request_id, reply, self._path.prompt(index))
        return self._checking.begin(reply, replace(submit, target=self.model))

    def close(self) -> None:
        super().close()
        self._checking.stop()
