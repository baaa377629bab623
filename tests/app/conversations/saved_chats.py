"""Chats put straight into the database, a reply under each message."""

from __future__ import annotations

from dataclasses import replace

from app.conversations.exchange import new_exchange, save_exchange
from app.conversations.records import Message, ReplyState
from app.conversations.store import Store
from engine.messages import Sampling


def add_exchange(
    store: Store, conversation_id: str, text: str, parent_id: str | None = None, title: str | None = None
) -> tuple[Message, Message]:
    """Add a message and the reply "re: …"; the chat is made where it gets a title."""
    user, reply = new_exchange(
        text, conversation_id=conversation_id, parent_id=parent_id, model="m", drafter="none", sampling=Sampling()
    )
    reply = replace(reply, text=f"re: {text}", state=ReplyState.COMPLETE)
    save_exchange(store, user, reply, title)
    return user, reply


def texts_of(store: Store, conversation_id: str) -> list[str]:
    return [message.text for message in store.open_conversation(conversation_id).messages]
