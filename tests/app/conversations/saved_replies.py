"""Replies put straight into the database, as an earlier start left them."""

from __future__ import annotations

from app.conversations.records import Conversation, Message, ReplyState, new_id
from app.conversations.store import Store


def save_reply(
    store: Store,
    conversation_id: str,
    token_ids: tuple[int, ...],
    tokenizer_id: str = "tokenizer-1",
    state: ReplyState = ReplyState.COMPLETE,
) -> str:
    """Add a reply to a conversation, which is made where it is missing; returns the message's id."""
    if store.connection.execute("SELECT 1 FROM conversations WHERE id = ?", (conversation_id,)).fetchone() is None:
        store.create_conversation(Conversation(conversation_id, conversation_id, "m", "ngram", 1.0, 1.0))
    message_id = new_id()
    store.add_message(Message(message_id, conversation_id, None, "assistant", "text", token_ids, tokenizer_id, state))
    return message_id
