"""TabActions: what is done to single messages of a chat, from their buttons, menus and keys."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from app.chat.composer import Composer
from app.chat.notes import Action, Note
from app.chat.session import ChatSession
from app.chat.tab_notes import TabNotes
from app.chat.transcript import Transcript
from app.conversations.records import Message
from app.figures import write_count
from app.frame.focus_place import FocusPlace
from app.tasks import start

# Subjects of notes.
BRANCHING, DELETION, LEAVING_OUT, UNANSWERED = "branching", "deletion", "leaving out", "unanswered"
SAME = "same text"


class TabActions(QObject):
    tint_asked = Signal()  # tint drafted text, or do no longer

    def __init__(
        self,
        session: ChatSession,
        transcript: Transcript,
        composer: Composer,
        notes: TabNotes,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._transcript = transcript
        self._composer = composer
        self._notes = notes
        self._replaced: Message | None = None  # the reply that another is written in place of
        self.deleted_at = 0.0  # when messages were deleted last, on the monotonic clock
        transcript.action_chosen.connect(self.act)

    def act(self, action: Action, message_id: str) -> None:
        match action:
            case Action.CONTINUE | Action.TRY_AGAIN:
                self.go_on()
            case Action.DO_NOT_WAIT:
                self._session.stop()
            case Action.DISCARD | Action.DELETE_FROM:
                start(self._delete(message_id, is_discarded=action is Action.DISCARD))
            case Action.EDIT:
                self.edit(message_id)
            case Action.AGAIN:
                self._write_again(message_id)
            case Action.BRANCH:
                start(self._branch(message_id))
            case Action.PREVIOUS | Action.NEXT:
                start(self._choose(message_id, -1 if action is Action.PREVIOUS else 1))
            case Action.CHECK:
                self._session.check(message_id)
            case Action.TINT:
                self.tint_asked.emit()
            case Action.INCLUDE:
                start(self._session.include_all())

    def go_on(self) -> None:
        if not self._composer.refuses():
            start(self._session.continue_reply())
        self._composer.field.setFocus()

    def edit(self, message_id: str) -> None:
        """Let a message be written anew in the composer."""
        message = next((each for each in self._session.messages if each.id == message_id), None)
        if message is not None and message.role == "user":
            self._composer.begin_edit(message)

    def edit_last(self) -> None:
        if (message := self._last("user")) is not None:
            self.edit(message.id)

    def write_again(self) -> None:
        """Have the last message replied to once more."""
        if self._session.messages:
            self._write_again(self._session.messages[-1].id)

    def _write_again(self, message_id: str) -> None:
        if not self._composer.refuses():
            self._replaced = next((each for each in self._session.messages if each.id == message_id), None)
            start(self._session.regenerate(message_id))

    def take_end(self, reply: Message) -> None:
        """Say why a reply that was written once more reads like the one before."""
        replaced, self._replaced = self._replaced, None
        if replaced is None or replaced.id not in self._session.siblings.get(reply.id, ()):
            return
        if not reply.temperature and reply.text == replaced.text != "":
            self._notes.show(SAME, Note("The same text: temperature is 0.", (Action.CLOSE,)))

    def step_branch(self, step: int) -> None:
        """Go to another branch where the path last had a choice."""
        if (message := self.branch_after(step)) is not None:
            start(self._choose(message.id, step))

    def branch_after(self, step: int) -> Message | None:
        """Where the path last had a choice; None where there is none so many places on."""
        branching = (each for each in reversed(self._session.messages) if each.id in self._session.siblings)
        message = next(branching, None)
        return message if message is not None and self._session.sibling_of(message.id, step) else None

    def say_left_out(self) -> None:
        """Tell what the next message will leave out, and offer it back."""
        if not (num_left_out := self._session.num_asked_left_out):
            self._notes.drop(LEAVING_OUT)
            return
        if num_left_out == 1:
            words = "The oldest message is left out of the prompt, from the next message on."
        else:
            messages = write_count(num_left_out, "messages")
            words = f"The oldest {messages} are left out of the prompt, from the next message on."
        self._notes.show(LEAVING_OUT, Note(words, (Action.INCLUDE,)), lambda action: self.act(action, ""))

    def take_path(self) -> None:
        """Other messages are shown: say of them what is still to be said."""
        self._say_branching()
        self.say_left_out()
        last = self._session.messages[-1] if self._session.messages else None
        if last is None or last.role != "user":
            self._notes.drop(UNANSWERED)
        else:
            note = Note("This message has no reply.", (Action.AGAIN,))
            self._notes.show(UNANSWERED, note, lambda action: self.act(action, last.id))

    def _say_branching(self) -> None:
        if not self._session.is_branching:
            self._notes.drop(BRANCHING)
            return
        note = Note("What you send next begins a branch here.", (Action.BACK,))
        self._notes.show(BRANCHING, note, lambda action: self._session.go_back())

    def _last(self, role: str) -> Message | None:
        return next((each for each in reversed(self._session.messages) if each.role == role), None)

    async def _choose(self, message_id: str, step: int) -> None:
        sibling = self._session.sibling_of(message_id, step)
        if sibling and await self._session.choose(sibling) and isValid(self):
            self._transcript.scroll_to_message(sibling)

    async def _branch(self, message_id: str) -> None:
        place = FocusPlace(self._composer)
        await self._session.branch_from(message_id)
        if not isValid(self):  # the tab was closed meanwhile
            return
        if not self._session.is_branching:
            self._notes.show(BRANCHING, Note("What you send next follows this reply already.", (Action.CLOSE,)))
        if place.is_kept:
            self._composer.field.setFocus()

    async def _delete(self, message_id: str, *, is_discarded: bool) -> None:
        num_messages = await self._session.delete_from(message_id)
        if num_messages and isValid(self):
            self.deleted_at = time.monotonic()
            num_of_others = self._session.num_deleted_of_others
            of_others = f", {write_count(num_of_others)} of them in other branches" if num_of_others else ""
            messages = f"{write_count(num_messages, 'messages')}{of_others}"
            is_one = is_discarded and num_messages == 1
            words = "Discarded the reply." if is_one else f"Deleted {messages}."
            self._notes.show(DELETION, Note(words, (Action.UNDO, Action.CLOSE)), self._undo)

    def _undo(self, action: Action) -> None:
        if action is Action.UNDO:
            self.undo_deletion()

    def undo_deletion(self) -> None:
        """Have the messages back that were deleted last."""
        self._notes.drop(DELETION)
        start(self._session.undo_deletion())
