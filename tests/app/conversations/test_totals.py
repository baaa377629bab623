from app.conversations.totals import add_statistics
from engine.messages import Statistics


def test_counts_are_added_and_ratios_are_of_all_rounds():
    before = Statistics(
        num_prompt=5,
        num_tokens=6,
        num_rounds=3,
        num_proposed=6,
        num_accepted=3,
        proposed_by_position=(3, 3),
        accepted_by_position=(2, 1),
        acceptance_length=2.0,
        tokens_per_forward=2.0,
        tokens_per_second=10.0,
        verify_seconds=1.0,
    )
    last = Statistics(
        num_prompt=11,
        num_tokens=2,
        num_rounds=1,
        num_proposed=3,
        num_accepted=1,
        proposed_by_position=(1, 1, 1),
        accepted_by_position=(1, 0, 0),
        acceptance_length=2.0,
        tokens_per_forward=2.0,
        tokens_per_second=20.0,
        verify_seconds=0.5,
    )
    assert add_statistics(before, last) == Statistics(
        num_prompt=11,
        num_tokens=8,
        num_rounds=4,
        num_proposed=9,
        num_accepted=4,
        proposed_by_position=(4, 4, 1),
        accepted_by_position=(3, 1, 0),
        acceptance_length=2.0,
        tokens_per_forward=2.0,
        tokens_per_second=20.0,
        verify_seconds=1.5,
    )


def test_parts_without_proposals_have_no_acceptance_length():
    assert add_statistics(Statistics(), Statistics()) == Statistics()
