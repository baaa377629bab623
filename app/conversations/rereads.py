"""Prompts that were read again, and why, as the replies recorded it; read on the database thread."""

from __future__ import annotations

from dataclasses import dataclass

from app.conversations.store import Store

MOST = 50


@dataclass(frozen=True, slots=True)
class Reread:
    at: float  # Unix seconds, when the reply began
    conversation_id: str
    num_tokens: int
    reason: str  # as the engine said it: the count and the cause


def read_rereads(store: Store, since: float = 0.0) -> tuple[Reread, ...]:
    """The latest first, of replies that began at `since` or later; damaged statistics are passed over."""
    # No index: as in past_replies, a walk over all messages takes milliseconds.
    rows = store.connection.execute(
        "SELECT created_at, conversation_id, json_extract(told, '$.num_reread') AS num_reread, "
        "json_extract(told, '$.reread_reason') AS reason FROM ("
        "SELECT ordinal, created_at, conversation_id, "
        "CASE WHEN json_valid(statistics) THEN statistics ELSE '{}' END AS told FROM messages "
        "WHERE role = 'assistant' AND created_at >= ? AND statistics IS NOT NULL) "
        "WHERE num_reread > 0 ORDER BY ordinal DESC LIMIT ?",
        (since, MOST),
    )
    return tuple(Reread(*row) for row in rows if isinstance(row["num_reread"], int) and isinstance(row["reason"], str))
