"""Shares: what memory, and the prompt cache, hold of what; rows of a table and bands of a bar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.conversations.totals import num_read_of
from app.figures import write_amount, write_bytes, write_count
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
    return tuple(Share(name, write_bytes(amount), amount, tone) for name, amount, tone in shares)


def used_bytes(report: MemoryReport) -> int:
    return sum(share.amount for share in memory_shares(report))


def memory_words(report: MemoryReport) -> str:
    """ "8.7 of 27.0 GB"; what is used alone where no limit is known."""
    used, limit = used_bytes(report), report.limit_bytes
    if not limit:
        return write_bytes(used)
    return f"{used / 1e9:,.1f} of {write_gigabytes(limit)}"


def write_gigabytes(num_bytes: int) -> str:
    return f"{num_bytes / 1e9:,.1f}\u00a0GB"


def prompt_shares(replies: Sequence[TrackedReply]) -> tuple[Share, ...]:
    """Prompt tokens of these replies by where they came from, what was read again by its cause, the greatest first."""
    cached = sum(one.own.num_cached for one in replies)
    read = sum(num_read_of(one.own) for one in replies)
    again = Counter[str]()
    for one in replies:
        again[cause_of(one.own.reread_reason)] += one.own.num_reread
    causes = [(cause, count) for cause, count in again.most_common() if count]
    shown, rest = causes[:MOST_CAUSES], causes[MOST_CAUSES:]
    rows = [
        Share(f"Prompt tokens, {write_amount(len(replies), 'reply')}", write_count(cached + read)),
        Share("From the cache", write_count(cached), cached, "target"),
        Share("Read for the first time", write_count(read - again.total()), read - again.total(), "edge"),
    ]
    rows += [Share(f"Read again: {cause}", write_count(count), count, "alert") for cause, count in shown]
    if rest:
        others = sum(count for _, count in rest)
        rows.append(Share("Read again: other causes", write_count(others), others, "alert"))
    if not causes:
        rows.append(Share("Read again", "0", 0, "alert"))
    return tuple(rows)


def cause_of(sentence: str) -> str:
    """ "38 tokens were read again: the model's files changed." -> "the model's files changed"."""
    return sentence.partition(": ")[2].removesuffix(".") or "cause unknown"


def disk_words(report: CacheReport | None) -> str:
    """ "11.4 of 20 GB on disk"; "" before the first answer."""
    if report is None:
        return ""
    used = write_bytes(report.disk_bytes)
    return f"{used} of {write_bytes(report.budget_bytes)} on disk" if report.budget_bytes else f"{used} on disk"
