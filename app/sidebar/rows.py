"""Rows of the sidebar: chats under Pinned, their folders and captions of time."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from app.conversations.records import Conversation
from app.conversations.titles import NEW_TITLE

PINNED = "Pinned"


class Kind(StrEnum):
    CAPTION = "caption"
    FOLDER = "folder"
    CHAT = "chat"


@dataclass(frozen=True, slots=True)
class Row:
    kind: Kind
    text: str
    conversation: Conversation | None = None  # of a chat
    num_chats: int = 0  # of a folder
    is_folded: bool = False

    @property
    def conversation_id(self) -> str:
        return self.conversation.id if self.conversation else ""

    @property
    def place(self) -> tuple[Kind, str]:
        """What tells rows apart; a chat stays the same when its title changes."""
        return self.kind, self.conversation_id or self.text


def caption_of(day: date, today: date) -> str:
    if day >= today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    if day >= today - timedelta(days=7):
        return "Last week"
    return day.strftime("%B") if day.year == today.year else day.strftime("%B %Y")


def folders_of(conversations: Iterable[Conversation]) -> list[str]:
    return sorted({one.folder for one in conversations if one.folder}, key=str.casefold)


def rows_of(conversations: Collection[Conversation], today: date, folded: Collection[str] = ()) -> list[Row]:
    """Conversations, latest first, each under one caption; those of a folded folder are left out."""
    pinned = [one for one in conversations if one.is_pinned]
    rows = [Row(Kind.CAPTION, PINNED), *map(_row, pinned)] if pinned else []
    loose = [one for one in conversations if not one.is_pinned]
    for folder in folders_of(loose):
        inside = [one for one in loose if one.folder == folder]
        rows.append(Row(Kind.FOLDER, folder, num_chats=len(inside), is_folded=folder in folded))
        rows += [] if folder in folded else map(_row, inside)
    return rows + _rows_by_time([one for one in loose if not one.folder], today)


def _rows_by_time(conversations: Iterable[Conversation], today: date) -> list[Row]:
    rows: list[Row] = []
    last = ""
    for conversation in conversations:
        caption = caption_of(datetime.fromtimestamp(conversation.updated_at).date(), today)
        if caption != last:
            rows.append(Row(Kind.CAPTION, caption))
            last = caption
        rows.append(_row(conversation))
    return rows


def _row(conversation: Conversation) -> Row:
    return Row(Kind.CHAT, conversation.title or NEW_TITLE, conversation)
