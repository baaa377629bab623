"""A chat with all of its branches: read from the database to be exported, and added to it by an import."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.conversations.records import Conversation, Message
from app.conversations.rows import DamagedRecordError
from app.conversations.store import Store


@dataclass(frozen=True, slots=True)
class WholeChat:
    """`messages` has parents before their children; the branch that is shown ends in or goes through `shown`."""

    conversation: Conversation
    messages: tuple[Message, ...]
    shown: str | None = None  # id of a message


def read_chat(store: Store, conversation_id: str) -> WholeChat:
    """What can be read of it; a message that followed a damaged one follows what came before that."""
    opened = store.open_conversation(conversation_id)
    rows = store.connection.execute(
        "SELECT id, parent_id FROM messages WHERE conversation_id = ? ORDER BY ordinal", (conversation_id,)
    ).fetchall()
    shown = {message.id: message for message in opened.messages}
    messages: dict[str, Message] = {}
    stand_ins: dict[str | None, str | None] = {}  # of a message that cannot be read: what it followed
    for message_id, parent_id in rows:
        parent_id = stand_ins.get(parent_id, parent_id)
        try:
            message = shown.get(message_id) or store.read_message(message_id)
            messages[message_id] = replace(message, parent_id=parent_id if parent_id in messages else None)
        except (DamagedRecordError, sqlite3.DatabaseError):
            stand_ins[message_id] = parent_id
    last = opened.messages[-1].id if opened.messages else None
    return WholeChat(opened.conversation, tuple(messages.values()), last)


def order_by_time(store: Store, conversation_ids: Iterable[str]) -> None:
    """Move conversations among the others by when they were last used; the others keep their order."""
    moved = set(conversation_ids)
    rows = store.connection.execute("SELECT id, updated_at FROM conversations ORDER BY activity").fetchall()
    waiting = sorted((row for row in rows if row["id"] in moved), key=lambda row: row["updated_at"], reverse=True)
    order: list[str] = []
    for row in rows:
        if row["id"] in moved:
            continue
        while waiting and waiting[-1]["updated_at"] <= row["updated_at"]:
            order.append(waiting.pop()["id"])
        order.append(row["id"])
    order += [row["id"] for row in reversed(waiting)]
    store.connection.executemany("UPDATE conversations SET activity = ? WHERE id = ?", enumerate(order, start=1))
