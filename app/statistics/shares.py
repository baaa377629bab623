"""Shares: what memory, and the prompt cache, hold of what; rows of a table and bands of a bar."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.conversations.totals import num_read_of
from app.figures import write_amount, write_bytes, write_count, write_loading
from app.statistics.tracked import TrackedReply
from engine.messages import CacheReport, MemoryReport

MOST_CAUSES = 3


@dataclass(frozen=True, slots=True)
class Share:
    """`tone` is a token; "" where the row has no band in a bar."""

    name: str
    value: str
    amount: int = 0
    tone: str = ""


def memory_shares(report: MemoryReport) -> tuple[Share, ...]:
    replies = f", {write_amount(report.num_rows, 'reply')}" if report.num_rows else ""
    shares = (
        ("Model weights", report.weight_bytes, "target"),
        ("Drafter weights", report.drafter_bytes, "draft_fill"),
        (f"Model cache{replies}", report.kv_bytes, "ink2"),
        ("Drafter cache", report.drafter_kv_bytes, "ink3"),
        ("Prompt cache in memory", report.cache_bytes, "edge"),
    )
    return tuple(Share(name, _write_size(amount), amount, tone) for name, amount, tone in shares)


def used_bytes(report: MemoryReport) -> int:
    return sum(share.amount for share in memory_shares(report))


def memory_words(report: MemoryReport) -> str:
    """ "8.7 of 27.0 GB"; what is used alone where no limit is known."""
    used, limit = used_bytes(report), report.limit_bytes
    return write_loading(used, limit) if limit else write_bytes(used)


def prompt_rows(replies: Sequence[TrackedReply]) -> tuple[Share, ...]:
    """Prompt tokens of these replies by where they came from, what was read again by its cause, the greatest first."""
    cached = sum(one.own.num_cached for one in replies)
    read = sum(num_read_of(one.own) for one in replies)
    again = Counter[str]()
    for one in replies:
        if one.own.num_reread:
            again[cause_of(one.own.reread_reason)] += one.own.num_reread
    causes = again.most_common()
    rows = [
        Share(f"Prompt tokens, {write_amount(len(replies), 'reply')}", write_count(cached + read)),
        Share("From the cache", write_count(cached)),
        Share("Read for the first time", write_count(read - again.total())),
    ]
    rows += [Share(f"Read again: {cause}", write_count(count)) for cause, count in causes[:MOST_CAUSES]]
    if rest := sum(count for _, count in causes[MOST_CAUSES:]):
        rows.append(Share("Read again: other causes", write_count(rest)))
    return (*rows, *([] if causes else [Share("Read again", "0")]))


def cause_of(sentence: str) -> str:
    """ "38 tokens were read again: the model's files changed." -> "the model's files changed"; without its place."""
    cause = sentence.partition(": ")[2].removesuffix(".")
    return re.sub(r" at token [\d,]+| \(.*\)", "", cause) or "cause unknown"


def disk_words(report: CacheReport | None) -> str:
    """ "11.4 of 20.0 GB"; "" before the first answer."""
    if report is None:
        return ""
    used, budget = report.disk_bytes, report.budget_bytes
    return write_loading(used, budget) if budget else _write_size(used)


def _write_size(amount: int) -> str:
    """Nothing has no unit: it stands among counts, and its own would be a guess."""
    return write_bytes(amount) if amount else "0"
