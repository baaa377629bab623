"""What the database holds, as immutable values that any thread may keep."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.conversations.sampling_rules import PLAIN
from engine.messages import UNQUANTISED, KvScheme, Sampling, Statistics


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
class Attachment:
    """A text file that a user's message quotes."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """One chat; times are wall-clock UTC seconds and never decide an order."""

    id: str
    title: str
    model: str  # of its latest reply
    drafter: str  # that its user chose for it; "" for the model's
    created_at: float
    updated_at: float
    folder: str = ""  # name of the folder that it is in; "" for none
    is_pinned: bool = False
    switches: tuple[tuple[str, str], ...] = ()  # values chosen for the template's switches
    num_branches: int = 1  # leaves of its tree
    preset: str = ""  # id of the one that its replies are made with; "" for the model's


@dataclass(frozen=True, slots=True)
class ChatChoices:
    """What was chosen for one chat, as its Conversation has it."""

    drafter: str = ""
    preset: str = ""
    switches: tuple[tuple[str, str], ...] = ()
    folder: str = ""


NO_CHOICES = ChatChoices()


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
    rules: Sampling = PLAIN  # that it is sampled by, its seed and temperature aside
    switches: tuple[tuple[str, str], ...] = ()  # values of the template's switches in its prompt
    model: str = ""
    drafter: str = ""
    kv: KvScheme = UNQUANTISED
    context_length: int = 0  # that it was to keep within; 0 is the model's own
    system_prompt: str = ""  # of its preset, before the turns of the chat
    template: str = ""  # in place of the model's own
    quantisation: str = ""
    statistics: Statistics | None = None
    notices: tuple[str, ...] = ()
    opening: str = ""  # what the prompt wrote of the reply before its text, such as "<think>"
    thought_seconds: float = 0.0  # that its reasoning took
    num_thought: int = 0  # tokens of its reasoning
    drafted: tuple[tuple[int, int], ...] = ()  # spans of `text` that accepted tokens wrote, in characters
    attachments: tuple[Attachment, ...] = ()  # of a user's message
    num_left_out: int = 0  # of a user's message: oldest messages of its path that are not in the prompt from here on
    created_at: float = 0.0
    updated_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Listing:
    """All conversations, latest used first; `damaged` has a sentence for each that cannot be read."""

    conversations: tuple[Conversation, ...]
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenedConversation:
    """A conversation with its chosen path, root first; `damaged` has a sentence for each message left out.

    `siblings` has, by the id of a message that is not alone under its parent, all of them in the order of creation.
    """

    conversation: Conversation
    messages: tuple[Message, ...]
    damaged: tuple[str, ...] = ()
    siblings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def new_id() -> str:
    """An id for a conversation or message."""
    return uuid.uuid4().hex
