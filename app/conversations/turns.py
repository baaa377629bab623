"""What of a conversation the model is given."""

from __future__ import annotations

from collections.abc import Iterable

from app.conversations.records import Message
from engine.messages import Turn


def turns_of(messages: Iterable[Message]) -> tuple[Turn, ...]:
    """The path as turns; a reply that has no text yet is left out, what it answers stays."""
    return tuple(
        Turn(message.role, message.text, message.token_ids, message.tokenizer_id)
        for message in messages
        if message.role != "assistant" or message.text
    )
