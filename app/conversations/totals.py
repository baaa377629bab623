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
        num_accepted=num_accepted,
        proposed_by_position=proposed,
        accepted_by_position=_add(before.accepted_by_position, last.accepted_by_position),
        acceptance_length=num_accepted / proposed[0] + 1 if proposed and proposed[0] else 0.0,
        tokens_per_forward=num_tokens / num_rounds if num_rounds else 0.0,
        draft_seconds=before.draft_seconds + last.draft_seconds,
        verify_seconds=before.verify_seconds + last.verify_seconds,
    )


def _add(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(one + other for one, other in zip_longest(first, second, fillvalue=0))
