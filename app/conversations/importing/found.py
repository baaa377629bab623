"""What an import would do, told before it does it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from app.conversations.whole_chat import WholeChat


@dataclass(frozen=True, slots=True)
class Found:
    """`chats` are those that are not here yet; `unreadable` has a sentence for each file or chat that is left out."""

    chats: tuple[WholeChat, ...]
    num_known: int = 0  # chats that are here already
    unreadable: tuple[str, ...] = ()

    def describe(self) -> str:
        """Such as "212 chats, 4 of them already here, 3 files that cannot be read."."""
        num_chats = len(self.chats) + self.num_known
        parts = ["1 chat" if num_chats == 1 else f"{num_chats:,} chats" if num_chats else "No chats"]
        if self.num_known:
            parts.append(_known(self.num_known, num_chats))
        if self.unreadable:
            number = len(self.unreadable)
            parts.append("1 that cannot be read" if number == 1 else f"{number:,} that cannot be read")
        return f"{', '.join(parts)}."


@dataclass(frozen=True, slots=True)
class Imported:
    """What takes an import back; `problem` is a sentence where not all of it was imported."""

    conversation_ids: tuple[str, ...]
    problem: str = ""
    is_disk_full: bool = False  # which is why


def found_among(chats: Collection[WholeChat], known: Collection[str], unreadable: Collection[str]) -> Found:
    """Sort out chats that are here, and those that stand in the files twice."""
    fresh = {chat.conversation.id: chat for chat in chats if chat.conversation.id not in known}
    num_known = len({chat.conversation.id for chat in chats}) - len(fresh)
    return Found(tuple(fresh.values()), num_known, tuple(unreadable))


def _known(num_known: int, num_chats: int) -> str:
    if num_known < num_chats:
        return f"{num_known:,} of them already here"
    return "already here" if num_chats == 1 else "all of them already here"
