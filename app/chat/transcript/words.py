"""Words of the transcript for a screen reader."""

from __future__ import annotations

from app.chat.notes import note_for, num_tokens_of
from app.conversations.records import Message, ReplyState
from app.figures import write_count

NO_BRANCH = "Nothing follows this reply: what you send next goes on from it."

_STATES = {
    ReplyState.RUNNING: "running",
    ReplyState.COMPLETE: "",
    ReplyState.STOPPED: "stopped",
    ReplyState.LIMIT: "ended at the limit",
    ReplyState.CUT_OFF: "cut off",
    ReplyState.FAILED: "failed",
}


def name_of(message: Message, text: str) -> str:
    """ "You: Why?", "Reply, running", "Reply, stopped after 212 tokens: Ice floats"."""
    if message.role == "user":
        return f"You: {text}"
    if message.role != "assistant":
        return f"System prompt: {text}"
    state = _STATES[message.state]
    if message.state is ReplyState.RUNNING:
        return "Reply, running"
    num_tokens = num_tokens_of(message)
    if state and num_tokens and note_for(message) is not None:
        state = f"{state} after {write_count(num_tokens, 'tokens')}"
    head = f"Reply, {state}" if state else "Reply"
    return f"{head}: {text}" if text else head


def branch_words(place: int, num_branches: int) -> str:
    return f"{place + 1} of {num_branches}"
