"""Statistics: sums that agree, ratios that do not flatter."""

from __future__ import annotations

from engine.statistics import ReplyCounter, acceptance_length, decode_rate


def counted(*rounds: tuple[int, int, int]) -> ReplyCounter:
    counter = ReplyCounter(sent_at=0.0)
    for num_proposed, num_accepted, num_delivered in rounds:
        counter.count_round(num_proposed, num_accepted, num_delivered)
    return counter


def test_o26_accepted_runs_are_counted_by_position_without_the_bonus():
    statistics = counted((4, 4, 5), (4, 0, 1), (4, 2, 3), (4, 4, 5)).statistics()
    assert (statistics.num_accepted, statistics.num_proposed) == (10, 16)
    assert statistics.proposed_by_position == (4, 4, 4, 4)
    assert statistics.accepted_by_position == (3, 3, 2, 2)
    assert statistics.tokens_per_forward == 14 / 4
    assert statistics.acceptance_length == 10 / 4 + 1


def test_rounds_without_a_proposal_count_as_forwards_only():
    statistics = counted((0, 0, 1), (3, 2, 3), (0, 0, 1)).statistics()
    assert statistics.acceptance_length == 3.0
    assert statistics.tokens_per_forward == 5 / 3
    assert statistics.accepted_by_position == (1, 1, 0)


def test_no_round_yet_gives_zeros():
    statistics = counted().statistics()
    assert (statistics.tokens_per_forward, statistics.tokens_per_second, statistics.acceptance_length) == (0, 0, 0)
    assert statistics.time_to_first_token_seconds == 0


def test_decode_rate_leaves_out_the_first_delivery_and_its_wait():
    assert decode_rate(num_tokens=11, num_first=1, seconds=2.0) == 5.0
    assert decode_rate(num_tokens=5, num_first=5, seconds=0.0) == 0.0


def test_acceptance_length_without_a_proposal_is_zero():
    assert acceptance_length(0, 0) == 0.0
