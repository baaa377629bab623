"""What replies have told of themselves, as the chats recorded it; read on the database thread."""

from __future__ import annotations

import json
import logging
import time
from dataclasses import dataclass

from app.conversations.rows import decode_statistics
from app.conversations.store import Store
from engine.messages import Statistics

DAY = 86400.0  # seconds
logger = logging.getLogger(__name__)
_COLUMNS = "id, conversation_id, model, drafter, seed, updated_at, finish_reason, error, statistics"


@dataclass(frozen=True, slots=True)
class RecordedReply:
    message_id: str
    conversation_id: str
    model: str
    drafter: str
    seed: int
    ended_at: float  # Unix seconds
    finish_reason: str
    error: str
    statistics: Statistics


def since_of(days: int) -> float:
    """Unix seconds before which nothing is looked at; 0 days look at all."""
    return time.time() - DAY * days if days else 0.0


def read_recorded(store: Store, since: float = 0.0, most: int = -1) -> tuple[RecordedReply, ...]:
    """Of all chats, those that began at `since` or later, in that order, the last `most` of them, or all.

    Damaged statistics are left out.
    """
    rows = store.connection.execute(
        f"SELECT {_COLUMNS} FROM messages WHERE role = 'assistant' AND state <> 'running' AND statistics IS NOT NULL "
        "AND created_at >= ? ORDER BY ordinal DESC LIMIT ?",
        (since, most),
    )
    found = []
    for *facts, told in rows:
        try:
            values = (*facts, decode_statistics(json.loads(told)))
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            logger.info("statistics of message %r are damaged and left out: %s", facts[0], error)
            continue
        found.append(RecordedReply(*values))
    return tuple(reversed(found))
