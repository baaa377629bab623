"""Chats put straight into the database, a reply under each message."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from app.conversations.exchange import new_exchange, save_exchange
from app.conversations.records import Message, ReplyState
from app.conversations.reply_plan import ReplyPlan
from app.conversations.store import Store


def add_exchange(
    store: Store, conversation_id: str, text: str, parent_id: str | None = None, title: str | None = None
) -> tuple[Message, Message]:
    """Add a message and the reply "re: …"; the chat is made where it gets a title."""
    user, reply = new_exchange(text, conversation_id=conversation_id, parent_id=parent_id, plan=ReplyPlan("m", "none"))
    reply = replace(reply, text=f"re: {text}", state=ReplyState.COMPLETE)
    save_exchange(store, user, reply, title)
    return user, reply


def texts_of(store: Store, conversation_id: str) -> list[str]:
    return [message.text for message in store.open_conversation(conversation_id).messages]


def damage_index(path: Path, name: str) -> None:
    """Overwrite the first page of an index, as a bad disk may."""
    with closing(sqlite3.connect(path)) as connection:
        page = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
