"""The five big numbers of a chat or of all replies, each with what it is a number of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from app.conversations.totals import mean_speedup
from app.figures import (
    NO_BREAK,
    write_amount,
    write_count,
    write_rate,
    write_ratio,
    write_seconds,
    write_speedup,
)
from app.sidebar.results import write_day
from app.statistics.details import speedup_tone
from app.statistics.history import History
from app.statistics.rounds import num_proposing_of
from app.statistics.tables import UNKNOWN
from app.statistics.tracked import TrackedReply


@dataclass(frozen=True, slots=True)
class Number:
    value: str
    caption: str
    unit: str = ""
    tone: str = "ink"

    @property
    def text(self) -> str:
        value = "unknown" if self.value == UNKNOWN else f"{self.value}{NO_BREAK}{self.unit}".rstrip(NO_BREAK)
        return f"{self.caption}: {value}"


def looked_at(history: History, conversation_id: str = "") -> tuple[TrackedReply, ...]:
    """The replies that run; where none does, the one that was heard of last."""
    replies = history.replies(conversation_id)
    running = tuple(reply for reply in replies if reply.is_running)
    return running or replies[:1]


def big_numbers(history: History, conversation_id: str = "") -> tuple[Number, ...]:
    """() before the first reply."""
    replies = looked_at(history, conversation_id)
    if not replies:
        return ()
    firsts = [one.own.time_to_first_token_seconds for one in history.replies(conversation_id)]
    return (
        _rate(history, replies),
        _speedup(replies),
        _acceptance_length(replies),
        _tokens_per_forward(history, replies),
        _first_token([seconds for seconds in firsts if seconds > 0]),
    )


def when(replies: Sequence[TrackedReply]) -> str:
    """ "when 21:04" of replies that do not run, or the day where that is past; "" of those that do."""
    is_running = any(one.is_running for one in replies)
    return "" if is_running else f"when {write_day(replies[0].told_at, datetime.now())}"


def _rate(history: History, replies: Sequence[TrackedReply]) -> Number:
    rates = [rate for one in replies if (rate := history.rate_of(one)) is not None]
    together = f", {write_amount(len(replies), 'reply')} together" if len(replies) > 1 else ""
    caption = f"tok/s{together or ', ' * bool(when(replies)) + when(replies)}"
    return Number(write_rate(sum(rates)).split(NO_BREAK)[0] if rates else UNKNOWN, caption)


def _speedup(replies: Sequence[TrackedReply]) -> Number:
    drafted = [one.own for one in replies if one.own.num_proposed]
    if not drafted:
        return Number(UNKNOWN, "vs plain, nothing was drafted")
    measured = [one for one in drafted if one.speedup]
    if not measured:
        return Number(UNKNOWN, "vs plain, not measured")
    speedup = mean_speedup(measured)
    caption = "vs plain, measured here"
    if len(measured) > 1 or len(replies) > 1:
        caption = f"vs plain, of {write_amount(len(measured), 'reply')}"
    return Number(write_speedup(speedup), caption, tone=speedup_tone(speedup))


def _acceptance_length(replies: Sequence[TrackedReply]) -> Number:
    num_rounds = sum(num_proposing_of(one.own) for one in replies)
    if not num_rounds:
        return Number(UNKNOWN, "acceptance length")
    length = sum(one.own.num_accepted for one in replies) / num_rounds + 1
    return Number(write_ratio(length), f"acceptance length, {write_count(num_rounds, 'rounds')}")


def _tokens_per_forward(history: History, replies: Sequence[TrackedReply]) -> Number:
    """Of one reply over all its rounds; of several over the last forwards of their batches, all rows together."""
    if len(replies) == 1:
        return Number(f"{replies[0].own.tokens_per_forward:.1f}", "tokens per forward")
    num_forwards = sum(one.num_rounds for one in history.rounds)
    num_tokens = sum(one.num_tokens for one in history.rounds)
    caption = f"tokens per forward, last {write_count(num_forwards)}"
    return Number(f"{num_tokens / num_forwards:.1f}" if num_forwards else UNKNOWN, caption)


def _first_token(firsts: Sequence[float]) -> Number:
    if not firsts:
        return Number(UNKNOWN, "first token")
    value, unit = write_seconds(median(firsts)).split(NO_BREAK)
    return Number(value, "first token" + (f", median of {len(firsts)}" if len(firsts) > 1 else ""), unit)
