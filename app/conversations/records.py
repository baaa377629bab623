"""What the database holds, as immutable values that any thread may keep."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from enum import StrEnum

from engine.messages import Statistics


class ReplyState(StrEnum):
    """How far a message came; a user's message is always COMPLETE."""

    RUNNING = "running"
    COMPLETE = "complete"
    STOPPED = "stopped"
    LIMIT = "limit"
    CUT_OFF = "cut_off"  # found RUNNING when the program started
    FAILED = "failed"


CONTINUABLE = frozenset({ReplyState.STOPPED, ReplyState.LIMIT, ReplyState.CUT_OFF, ReplyState.FAILED})


@dataclass(frozen=True, slots=True)
class Conversation:
    """One chat; times are wall-clock UTC seconds and never decide an order."""

    id: str
    title: str
    model: str
    drafter: str
    created_at: float
    updated_at: float


@dataclass(frozen=True, slots=True)
class Message:
    """One node of a conversation's tree; `token_ids` are empty where only the text is known."""

    id: str
    conversation_id: str
    parent_id: str | None
    role: str  # "system", "user" or "assistant"
    text: str
    token_ids: tuple[int, ...] = ()
    tokenizer_id: str = ""
    state: ReplyState = ReplyState.COMPLETE
    finish_reason: str = ""  # as the engine gave it: "stop", "length", "cancelled"; "" where it gave none
    error: str = ""
    seed: int = 0
    temperature: float = 0.0
    model: str = ""
    drafter: str = ""
    quantisation: str = ""
    statistics: Statistics | None = None
    notices: tuple[str, ...] = ()
    created_at: float = 0.0
    updated_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Listing:
    """All conversations, latest used first; `damaged` has a sentence for each that cannot be read."""

    conversations: tuple[Conversation, ...]
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenedConversation:
    """A conversation with its chosen path, root first; `damaged` has a sentence for each message left out."""

    conversation: Conversation
    messages: tuple[Message, ...]
    damaged: tuple[str, ...] = ()


def new_id() -> str:
    """An id for a conversation or message."""
    return uuid.uuid4().hex
