"""ShownPath: the branch of a chat's tree that is shown, and what of it goes into a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from app.conversations.records import CONTINUABLE, Message
from app.conversations.turns import messages_of_turns, turns_of, without_oldest
from engine.messages import Turn


class ShownPath:
    def __init__(self) -> None:
        self.messages: list[Message] = []  # root first
        self.siblings: dict[str, tuple[str, ...]] = {}  # of messages that are not alone, oldest first, themselves too
        self.hidden: list[Message] = []  # what followed before a branch was begun, in which nothing was sent yet
        self._num_asked = 0  # oldest messages to leave out from the next message on

    def take(self, messages: Sequence[Message], siblings: Mapping[str, tuple[str, ...]]) -> None:
        """Show another path; what was asked to be left out holds where it begins with the same messages."""
        left_out = self._ids_left_out([*self.messages, *self.hidden])
        if left_out != self._ids_left_out(messages):
            self._num_asked = 0
        self.messages = list(messages)
        self.siblings = dict(siblings)
        self.hidden = []

    def _ids_left_out(self, messages: Sequence[Message]) -> list[str]:
        num_kept = len(without_oldest(messages, self._num_asked))
        return [each.id for each in messages[: len(messages) - num_kept]]

    @property
    def system_prompt(self) -> str:
        """That it begins with; "" for none."""
        return self.messages[0].text if self.messages and self.messages[0].role == "system" else ""

    @property
    def can_continue(self) -> bool:
        """Whether it ends with a reply that did not come to its own end, and that nothing follows."""
        return bool(self.messages) and not self.hidden and self.messages[-1].state in CONTINUABLE

    def index_of(self, message_id: str) -> int | None:
        return next((place for place, each in enumerate(self.messages) if each.id == message_id), None)

    def num_from(self, message_id: str) -> int:
        """How many messages of this branch a message and those after it are."""
        ids = [each.id for each in (*self.messages, *self.hidden)]
        return len(ids) - ids.index(message_id) if message_id in ids else 0

    def sibling_of(self, message_id: str, step: int) -> str:
        """The id so many places after a message among those that stand beside it; "" where there is none."""
        group = self.siblings.get(message_id, ())
        place = group.index(message_id) + step if message_id in group else -1
        return group[place] if 0 <= place < len(group) else ""

    def put(self, message: Message) -> bool:
        """Take another state of a message; False where it is not shown."""
        for messages in (self.hidden, self.messages):
            for place in reversed(range(len(messages))):
                if messages[place].id == message.id:
                    messages[place] = message
                    return messages is self.messages
        return False

    def go_on(self, index: int, messages: Sequence[Message]) -> bool:
        """Let new messages follow the first `index`; True where this is another branch beside one that is known."""
        instead_of = [*self.messages[index:], *self.hidden][:1]
        for old in instead_of:
            self.siblings[messages[0].id] = (*self.siblings.get(old.id, (old.id,)), messages[0].id)
        self.messages[index:] = messages
        self.hidden = []
        if messages[0].role == "user":  # which says from here on what is left out
            self._num_asked = 0
        return bool(instead_of)

    def cut(self, num_messages: int) -> bool:
        """Show only so many messages, until something is sent or `go_back`; False where nothing follows them."""
        cut = self.messages[num_messages:]
        self.hidden = [*cut, *self.hidden]
        del self.messages[num_messages:]
        return bool(cut)

    @property
    def begins_at(self) -> str:
        """The id of the message that a branch begins after in which nothing was sent yet; "" where none is begun."""
        return self.messages[-1].id if self.hidden and self.messages else ""

    def go_back(self) -> None:
        self.messages += self.hidden
        self.hidden = []

    def num_left_out(self, num_messages: int | None = None, num_asked: int = 0) -> int:
        """How many of the oldest messages a prompt leaves out that follows the first `num_messages`, or all.

        At least `num_asked`, but no more than there are before it.
        """
        messages = self.messages[:num_messages]
        num_that_can_be = len(messages) - len(without_oldest(messages, len(messages)))
        return min(max(self._num_asked, num_asked, _num_said(messages)), num_that_can_be)

    @property
    def num_asked(self) -> int:
        """The same of the next prompt, where no message says it yet; else 0."""
        num_left_out = self.num_left_out()
        return num_left_out if num_left_out > _num_said(self.messages) else 0

    def leave_out(self, num_turns: int) -> None:
        """Leave out so many turns more, from the next message on."""
        num_before = self.num_left_out()
        self._num_asked = num_before + messages_of_turns(without_oldest(self.messages, num_before), num_turns)

    def include_all(self) -> tuple[Message, ...]:
        """Leave nothing out; returns the messages that said so, as they are without it."""
        self._num_asked = 0
        changed = tuple(replace(each, num_left_out=0) for each in self.messages if each.num_left_out)
        for message in changed:
            self.put(message)
        return changed

    def turns(
        self, num_messages: int | None = None, following: Sequence[Message] = (), num_asked: int = 0
    ) -> tuple[Turn, ...]:
        """Of the first `num_messages`, or all, and what follows them, without what is left out, `num_asked` at least.

        Raises nothing where all of them are left out: what follows stays.
        """
        num_left_out = self.num_left_out(num_messages, num_asked)
        return turns_of([*without_oldest(self.messages[:num_messages], num_left_out), *following])

    def prompt(self, num_messages: int | None = None) -> tuple[Turn, ...]:
        """Of a reply that ends the first `num_messages`, or all, or follows them; what it answers always stays.

        Only what a message says is left out: what was asked for counts from the next message on.
        """
        messages = self.messages[:num_messages]
        asked = max((place for place, each in enumerate(messages) if each.role == "user"), default=0)
        return turns_of([*without_oldest(messages[:asked], _num_said(messages)), *messages[asked:]])


def _num_said(messages: Iterable[Message]) -> int:
    """How many of the oldest messages these say are left out from one of them on."""
    return max((each.num_left_out for each in messages), default=0)
