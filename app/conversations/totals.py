"""Statistics of a reply that was generated in several parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import zip_longest

from engine.messages import Statistics


def num_read_of(statistics: Statistics) -> int:
    """Prompt tokens that were read; all that were not cached in statistics which do not tell."""
    known = statistics.num_read
    return statistics.num_prompt - statistics.num_cached if known is None else known


def num_cached_of(statistics: Statistics) -> int:
    """Tokens of the prompt that were not read for any part of the reply, as far as they were cached.

    `num_cached` counts those of each part's prompt, and so most of them more than once.
    """
    if statistics.num_read is None:
        return statistics.num_cached
    return max(0, min(statistics.num_cached, statistics.num_prompt - statistics.num_read))


def add_statistics(before: Statistics, last: Statistics) -> Statistics:
    """Counts and seconds of both parts with the ratios of all of them; `num_prompt`, rates and rows are of the last.

    One that was stopped before its first token has no rates, so that those of the part before stay.
    What was read and what was cached are of both, so that a reply which was stopped and continued costs what it cost:
    together they are the tokens of two prompts, and the second prompt holds the first.
    """
    num_tokens = before.num_tokens + last.num_tokens
    num_rounds = before.num_rounds + last.num_rounds
    num_accepted = before.num_accepted + last.num_accepted
    proposed = _add(before.proposed_by_position, last.proposed_by_position)
    return replace(
        last if last.num_tokens else before,
        num_prompt=last.num_prompt,
        num_cached=before.num_cached + last.num_cached,
        num_read=num_read_of(before) + num_read_of(last),
        num_reread=before.num_reread + last.num_reread,
        reread_reason=_join_reasons(before, last),
        num_tokens=num_tokens,
        num_rounds=num_rounds,
        num_proposed=before.num_proposed + last.num_proposed,
        num_verified=before.num_verified + last.num_verified,
        num_accepted=num_accepted,
        proposed_by_position=proposed,
        reached_by_position=_add(before.reached_by_position, last.reached_by_position),
        accepted_by_position=_add(before.accepted_by_position, last.accepted_by_position),
        acceptance_length=num_accepted / proposed[0] + 1 if proposed and proposed[0] else 0.0,
        num_forwards_saved=before.num_forwards_saved + last.num_forwards_saved,
        tokens_per_forward=num_tokens / num_rounds if num_rounds else 0.0,
        draft_seconds=before.draft_seconds + last.draft_seconds,
        verify_seconds=before.verify_seconds + last.verify_seconds,
        extra_seconds=before.extra_seconds + last.extra_seconds,
        speedup=mean_speedup((before, last)),
    )


def mean_speedup(parts: Iterable[Statistics]) -> float:
    """Over plain decoding, each weighed by the seconds that its rounds took; 0.0 where none was measured."""
    measured = [(one.speedup, one.draft_seconds + one.verify_seconds) for one in parts if one.speedup]
    seconds = sum(taken for _, taken in measured)
    if not seconds:
        return measured[-1][0] if measured else 0.0
    return sum(speedup * taken for speedup, taken in measured) / seconds


def _join_reasons(before: Statistics, last: Statistics) -> str:
    """Both sentences, each with its own count; "" where one is missing, as the other's count is not that of both."""
    parts = [part for part in (before, last) if part.num_reread]
    return " ".join(part.reread_reason for part in parts) if all(part.reread_reason for part in parts) else ""


def _add(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(one + other for one, other in zip_longest(first, second, fillvalue=0))
