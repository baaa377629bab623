"""SessionBranches: what changes which messages of a chat are shown, and which of them a prompt leaves out."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QTimer, Signal

from app.chat.session_core import SessionCore
from app.conversations.deletion import UNDO_MILLISECONDS
from app.conversations.exchange import save_changed
from app.conversations.records import ChatChoices, OpenedConversation
from app.conversations.reply_plan import ReplyPlan
from app.conversations.store import Store
from app.conversations.tree import DeletedMessages
from app.settings.presets import Preset
from app.tasks import start


class SessionBranches(SessionCore):
    """Deleting and branching end a reply that runs first; what it came to by then is saved with the change."""

    message_changed = Signal(object)  # Message of the user's, what it leaves out
    messages_gone = Signal(str)  # conversation id: some were deleted, and the time to have them back is over
    choices_changed = Signal()  # what was chosen for this chat
    left_out_changed = Signal()  # how many of the oldest messages the next prompt leaves out

    _deleted: DeletedMessages | None = None  # what can be put back
    num_deleted_of_others = 0  # of the messages that were deleted last, those on other branches
    _gone_timer: QTimer | None = None  # while drafters may still propose what was deleted

    @property
    def num_left_out(self) -> int:
        """How many of the oldest messages the next prompt leaves out."""
        return self._path.num_left_out()

    @property
    def num_asked_left_out(self) -> int:
        """The same, where that begins with the next message; else 0."""
        return self._path.num_asked

    @property
    def is_branching(self) -> bool:
        """Whether messages are hidden until something is sent in their place."""
        return bool(self._path.hidden)

    @property
    def branches_from(self) -> str:
        """The id of the message that what is sent next follows in a branch of its own; "" where it follows the last."""
        return self._path.begins_at

    @property
    def can_undo_deletion(self) -> bool:
        return self._deleted is not None

    def sibling_of(self, message_id: str, step: int) -> str:
        """The id so many places after a message among those that stand beside it; "" where there is none."""
        return self._path.sibling_of(message_id, step)

    async def choose(self, message_id: str) -> bool:
        """Show the branch that a message is in; a reply that runs in another one goes on."""

        def choose(store: Store) -> OpenedConversation:
            store.choose_message(message_id)
            return store.open_conversation(self.conversation_id or "")

        async with self._lock:
            opened = await self._write(choose, "The other branch could not be shown.")
            return self._show(opened)

    async def branch_from(self, message_id: str) -> bool:
        """End the path at a message: what is sent next begins a branch there. False where nothing follows it."""
        async with self._alone():
            index = self._path.index_of(message_id)
            if index is None or not self._path.cut(index + 1):
                return False
            self._tell_path()
            return True

    def return_to_branch(self, message_id: str) -> None:
        """Hide again what follows a message, as when the chat was left; nothing where none is shown or a reply runs."""
        index = None if self.is_busy else self._path.index_of(message_id)
        if index is not None and self._path.cut(index + 1):
            self._tell_path()

    def go_back(self) -> None:
        """Show again what a branch that was not begun has hidden."""
        if self._path.hidden:
            self._path.go_back()
            self._tell_path()

    async def delete_from(self, message_id: str) -> int:
        """Delete a message and all that follows it, in other branches too; returns how many these were.

        A sibling is shown in their place, and `undo_deletion` puts the last ones that were deleted back.
        """

        def delete(store: Store) -> tuple[DeletedMessages, OpenedConversation]:
            deleted = store.delete_message(message_id)
            return deleted, store.open_conversation(deleted.conversation_id)

        async with self._alone():
            found = await self._write(delete, "Nothing was deleted.")
            if found is None:
                return 0
            self._deleted, opened = found
            self.num_deleted_of_others = self._deleted.num_messages - self._path.num_from(message_id)
            self._tell_later()
            self._show(opened)
            return self._deleted.num_messages

    async def undo_deletion(self) -> bool:
        """Put back what was deleted last, where it was."""
        if not self.can_undo_deletion:
            return False
        async with self._alone():
            if (deleted := self._deleted) is None:  # put back meanwhile
                return False

            def restore(store: Store) -> OpenedConversation:
                store.restore_messages(deleted)
                return store.open_conversation(deleted.conversation_id)

            opened = await self._write(restore, "The messages could not be put back.")
            self._deleted = None if opened else deleted
            self._tell_later()  # where it was told already, they are to be learned again
            return self._show(opened)

    def _tell_later(self) -> None:
        """At once where the session was closed meanwhile, with which the time to have them back is over."""
        if self._is_closed:
            self.messages_gone.emit(self.conversation_id)
            return
        if self._gone_timer is None:
            self._gone_timer = QTimer(self)
            self._gone_timer.setSingleShot(True)
            self._gone_timer.timeout.connect(self._tell_gone)
        self._gone_timer.start(UNDO_MILLISECONDS)

    def _tell_gone(self) -> None:
        """Once nothing runs: a reply that is forgotten while it runs would not be learned from."""
        if self.is_busy:
            self._tell_later()
        else:
            self.messages_gone.emit(self.conversation_id)

    def close(self) -> None:
        super().close()
        if self._gone_timer is not None and self._gone_timer.isActive():
            self._gone_timer.stop()
            self.messages_gone.emit(self.conversation_id)

    def leave_out(self, num_turns: int) -> None:
        """Leave so many more of the oldest turns out of prompts, from the next message on."""
        self._path.leave_out(num_turns)
        self.left_out_changed.emit()

    async def include_all(self) -> bool:
        """Leave nothing out of prompts any more."""
        async with self._lock:
            changed = self._path.include_all()
            self.left_out_changed.emit()
            for message in changed:
                self.message_changed.emit(message)
            lost = "What prompts leave out could not be saved."
            return bool(await self._write(lambda store: save_changed(store, changed), lost))

    @property
    def preset_in_use(self) -> Preset:
        """The one that the next reply is made with."""
        return self.planner.preset_of(self.preset)

    @property
    def own_system_prompt(self) -> str:
        """That the chat itself begins with, as one from another program may; "" for none: then the preset's holds."""
        return self._path.system_prompt

    @property
    def plan(self) -> ReplyPlan:
        """What the next reply is made with."""
        plan = self.planner.plan(self.drafter, self.preset)
        return plan.in_chat_with(self.own_system_prompt, self.preset_in_use.name)

    async def choose_switches(self, switches: tuple[tuple[str, str], ...]) -> None:
        """Take other values of the template's switches, from the next reply on."""
        self.take_choices(replace(self.choices, switches=switches))
        await self._save_choices()

    async def choose_preset(self, preset_id: str) -> None:
        """Make the replies of this chat with another preset, from the next one on."""
        self.take_choices(replace(self.choices, preset=preset_id))
        await self._save_choices()

    def choose_drafter(self, drafter: str) -> None:
        """Take another drafter from the next reply on; "" is as the model's choice."""
        self.take_choices(replace(self.choices, drafter=drafter))
        start(self._save_choices(), saves=True)

    async def _save_choices(self) -> None:
        """With the chat; one that is not made yet is saved with its first message."""
        async with self._lock:  # behind which a first message makes the chat
            if conversation_id := self.conversation_id:
                choices, lost = self.choices, "The choice for this chat was not saved."
                await self._run(lambda store: store.set_choices(conversation_id, choices), lost)

    def take_choices(self, choices: ChatChoices) -> None:
        """What was chosen for the chat, as it was kept."""
        self.drafter, self.preset = choices.drafter, choices.preset
        self.switches, self.folder = choices.switches, choices.folder
        self.choices_changed.emit()

    def _show(self, opened: OpenedConversation | None) -> bool:
        if opened is None:
            return False
        self._take_path(opened)
        self._tell_path()
        return True
