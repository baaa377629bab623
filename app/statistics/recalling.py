"""Replies of earlier starts, as the chats recorded them: their totals, without the rounds."""

from __future__ import annotations

from app.conversations.recorded_statistics import RecordedReply
from app.conversations.records import Message
from app.statistics.tracked import TrackedReply


def recall(recorded: RecordedReply) -> TrackedReply:
    """One that has ended, in the form of those that this run of the program has followed."""
    reply = TrackedReply(
        0,
        Message(
            recorded.message_id,
            recorded.conversation_id,
            None,
            "assistant",
            "",
            seed=recorded.seed,
            model=recorded.model,
            drafter=recorded.drafter,
        ),
    )
    reply.own, reply.told_at = recorded.statistics, recorded.ended_at
    if recorded.error:
        reply.fail(recorded.ended_at, recorded.error)
    else:
        reply.finish(recorded.ended_at, recorded.statistics, recorded.finish_reason)
    return reply
