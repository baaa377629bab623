"""What was written and not sent, what it is to begin, and how it is answered, for chats whose tabs are closed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.chat.draft import Draft
from app.conversations.records import NO_CHOICES, ChatChoices

Drafts = tuple[Draft, ...]


class Unsent:
    """Drafts by conversation id, oldest first; a chat that was never saved has none and shares one place."""

    def __init__(self) -> None:
        self._drafts: dict[str, Drafts] = {}
        self._branches: dict[str, str] = {}
        self.choices = NO_CHOICES  # for the chat that was never saved

    def restore(
        self, drafts: Mapping[str, Drafts], branches: Mapping[str, str], choices: ChatChoices = NO_CHOICES
    ) -> None:
        self._drafts, self._branches, self.choices = dict(drafts), dict(branches), choices

    def keep(self, conversation_id: str | None, drafts: Drafts) -> None:
        """Add drafts behind what is kept of this chat."""
        if drafts:
            key = conversation_id or ""
            self._drafts[key] = self._drafts.get(key, ()) + drafts

    def has(self, conversation_id: str | None) -> bool:
        return (conversation_id or "") in self._drafts

    def take_choices(self) -> ChatChoices:
        """Those for the chat that was never saved, which are kept no longer."""
        choices, self.choices = self.choices, NO_CHOICES
        return choices

    def take(self, conversation_id: str | None) -> Drafts:
        """Hand a chat's drafts back, and keep them no longer."""
        return self._drafts.pop(conversation_id or "", ())

    def keep_branch(self, conversation_id: str | None, message_id: str) -> None:
        """Note after which message of a chat a branch begins; "" is none."""
        if conversation_id and message_id:
            self._branches[conversation_id] = message_id

    def take_branch(self, conversation_id: str | None) -> str:
        return self._branches.pop(conversation_id or "", "")

    def forget(self, conversation_id: str) -> None:
        self.take(conversation_id)
        self.take_branch(conversation_id)

    def branches_with(self, begun: Iterable[tuple[str | None, str]]) -> dict[str, str]:
        """All that are kept, and those that are begun in open tabs."""
        return self._branches | {name: message_id for name, message_id in begun if name and message_id}

    def together_with(self, written: Iterable[tuple[str | None, Drafts]]) -> dict[str, Drafts]:
        """All that is kept, and what stands in the composers of open tabs."""
        drafts = dict(self._drafts)
        for conversation_id, more in written:
            key = conversation_id or ""
            if whole := drafts.get(key, ()) + more:
                drafts[key] = whole
        return drafts
