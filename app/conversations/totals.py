"""Statistics of a reply that was generated in several parts."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

from engine.messages import Statistics


def add_statistics(before: Statistics, last: Statistics) -> Statistics:
    """Counts and seconds of both parts with the ratios of all of them; prompt, rates and rows are of the last part."""
    num_tokens = before.num_tokens + last.num_tokens
    num_rounds = before.num_rounds + last.num_rounds
    num_accepted = before.num_accepted + last.num_accepted
    proposed = _add(before.proposed_by_position, last.proposed_by_position)
    return replace(
        last,
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
    )


def _add(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(one + other for one, other in zip_longest(first, second, fillvalue=0))
