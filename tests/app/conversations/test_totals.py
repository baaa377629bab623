from dataclasses import replace

from app.conversations.totals import add_statistics
from engine.messages import Statistics


def statistics_of(proposed, reached, accepted, *, num_tokens, **others):
    """Of a reply with so many rounds as its first position was proposed in, and a second for each of them."""
    num_rounds = proposed[0]
    return Statistics(
        num_tokens=num_tokens,
        num_rounds=num_rounds,
        num_proposed=sum(proposed),
        num_verified=sum(accepted) + 1,
        num_accepted=sum(accepted),
        proposed_by_position=proposed,
        reached_by_position=reached,
        accepted_by_position=accepted,
        num_forwards_saved=num_tokens - num_rounds,
        tokens_per_forward=num_tokens / num_rounds,
        acceptance_length=1 + sum(accepted) / num_rounds,
        draft_seconds=float(num_rounds),
        verify_seconds=float(num_rounds),
        extra_seconds=float(num_rounds),
        **others,
    )


def test_counts_are_added_and_ratios_are_of_all_rounds():
    before = statistics_of((3, 3), (3, 2), (2, 1), num_tokens=6, num_prompt=5, num_reread=3, tokens_per_second=10.0)
    last = statistics_of((1, 1, 1), (1, 1, 0), (1, 0, 0), num_tokens=2, num_prompt=11, tokens_per_second=20.0)
    whole = statistics_of((4, 4, 1), (4, 3, 0), (3, 1, 0), num_tokens=8, num_prompt=11, tokens_per_second=20.0)
    both = add_statistics(before, last)
    assert both.num_verified == before.num_verified + last.num_verified
    assert replace(both, num_verified=whole.num_verified) == whole


def test_parts_without_proposals_have_no_acceptance_length():
    assert add_statistics(Statistics(), Statistics()) == Statistics()
