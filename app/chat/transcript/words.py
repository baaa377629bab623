"""Words of the transcript for a screen reader."""

from __future__ import annotations

from app.chat.notes import note_for, num_tokens_of
from app.conversations.records import Message, ReplyState
from app.figures import write_count
from engine.messages import Statistics

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


def describe_strip(statistics: Statistics) -> str:
    """The strip as a sentence would say it: units in words."""
    parts = []
    if statistics.tokens_per_second > 0:
        parts.append(f"{statistics.tokens_per_second:.0f} tokens per second")
    if statistics.num_proposed and statistics.speedup:
        parts.append(f"{statistics.speedup:.1f} times plain")
    if statistics.time_to_first_token_seconds > 0:
        parts.append(f"first token {statistics.time_to_first_token_seconds:.2f} seconds")
    if statistics.acceptance_length > 0:
        parts.append(f"acceptance length {statistics.acceptance_length:.1f}")
    if statistics.num_cached:
        parts.append(f"{statistics.num_cached:,} tokens cached")
    return f"Statistics: {', '.join(parts)}" if parts else "Statistics"


def branch_words(place: int, num_branches: int) -> str:
    return f"{place + 1} of {num_branches}"
