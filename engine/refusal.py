"""What requests are told where no engine runs."""

from __future__ import annotations

from engine.inbox import Message
from engine.messages import (
    Answer,
    ClearCache,
    ConversationDeleted,
    DeleteConversation,
    DescribeCache,
    DescribeMemory,
    Event,
    Failed,
    LoadModel,
    ModelUnloaded,
    RemoveCached,
    Submit,
    UnloadModel,
)
from engine.text.counting import Counted


def refusal(message: Message, text: str) -> Event | None:
    """What is answered where no engine runs; None where nobody waits for an answer."""
    match message:
        case Submit() | LoadModel() | DescribeCache() | ClearCache() | RemoveCached() | DescribeMemory():
            return Failed(message.request_id, "engine", text)
        case DeleteConversation():
            return ConversationDeleted(message.conversation_id, text)
        case UnloadModel():
            return ModelUnloaded(message.target)
        case _:
            return Answer(message.request_id, message.count) if isinstance(message, Counted) else None
