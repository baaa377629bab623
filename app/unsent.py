"""Messages that were written and not sent, kept for the chats whose tabs are closed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.chat.draft import Draft

Drafts = tuple[Draft, ...]


class Unsent:
    """Drafts by conversation id, oldest first; a chat that was never saved has none and shares one place."""

    def __init__(self) -> None:
        self._drafts: dict[str, Drafts] = {}

    def restore(self, drafts: Mapping[str, Drafts]) -> None:
        self._drafts = dict(drafts)

    def keep(self, conversation_id: str | None, drafts: Drafts) -> None:
        """Add drafts behind what is kept of this chat."""
        if drafts:
            key = conversation_id or ""
            self._drafts[key] = self._drafts.get(key, ()) + drafts

    def has(self, conversation_id: str | None) -> bool:
        return (conversation_id or "") in self._drafts

    def take(self, conversation_id: str | None) -> Drafts:
        """Hand a chat's drafts back, and keep them no longer."""
        return self._drafts.pop(conversation_id or "", ())

    def together_with(self, written: Iterable[tuple[str | None, Drafts]]) -> dict[str, Drafts]:
        """All that is kept, and what stands in the composers of open tabs."""
        drafts = dict(self._drafts)
        for conversation_id, more in written:
            key = conversation_id or ""
            if whole := drafts.get(key, ()) + more:
                drafts[key] = whole
        return drafts
