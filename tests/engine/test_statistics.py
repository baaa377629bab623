"""Statistics: sums that agree, ratios that do not flatter."""

from __future__ import annotations

import pytest

from engine.measuring import RoundTime
from engine.messages.statistics import NO_GROUP_STATISTICS
from engine.statistics import ReplyCounter, acceptance_length, decode_rate


def counted(*rounds: tuple[int, int, int]) -> ReplyCounter:
    counter = ReplyCounter(sent_at=0.0)
    for num_proposed, num_accepted, num_delivered in rounds:
        counter.count_round(num_proposed, num_accepted, num_accepted, num_delivered)
    return counter


def test_o26_accepted_runs_are_counted_by_position_without_the_bonus():
    statistics = counted((4, 4, 5), (4, 0, 1), (4, 2, 3), (4, 4, 5)).statistics()
    assert (statistics.num_accepted, statistics.num_proposed) == (10, 16)
    assert statistics.proposed_by_position == (4, 4, 4, 4)
    assert statistics.accepted_by_position == (3, 3, 2, 2)
    assert statistics.tokens_per_forward == 14 / 4
    assert statistics.acceptance_length == 10 / 4 + 1


def test_acceptance_after_accepted_forerunners_is_counted_apart_from_survival():
    statistics = counted((4, 4, 5), (4, 0, 1), (4, 2, 3), (2, 2, 3)).statistics()
    assert statistics.proposed_by_position == (4, 4, 3, 3)
    assert statistics.reached_by_position == (4, 3, 2, 1)
    assert statistics.accepted_by_position == (3, 3, 1, 1)


def test_what_a_stop_left_undelivered_is_verified_but_neither_accepted_nor_reached():
    counter = counted((4, 4, 5))
    counter.count_round(4, 3, 1, 1)
    statistics = counter.statistics()
    assert (statistics.num_verified, statistics.num_accepted) == (7, 5)
    assert statistics.reached_by_position == (2, 1, 1, 1)


def test_forwards_saved_are_those_of_plain_decoding_less_those_that_were_made():
    counter = counted((4, 4, 5), (0, 0, 1), (4, 2, 3))
    assert counter.statistics().num_forwards_saved == 6
    counter.count_round(4, 2, 1, 1, has_end=True)  # plain decoding needs a forward for the end token, too
    assert counter.statistics().num_forwards_saved == 7


def test_plain_reply_saves_no_forward():
    counter = counted(*[(0, 0, 1)] * 3)
    counter.count_round(0, 0, 0, 0, has_end=True)
    assert counter.statistics().num_forwards_saved == 0


def test_speedup_is_over_plain_forwards_for_the_rounds_whose_plain_cost_is_known():
    counter = ReplyCounter(sent_at=0.0)
    for plain, total, tokens in ((0.0, 9.0, 1), (1.0, 2.0, 5), (1.0, 1.0, 1)):
        counter.time_round(RoundTime(total, draft=0.5, verify=total - 0.5, plain=plain), 1, NO_GROUP_STATISTICS)
        counter.count_round(tokens - 1, tokens - 1, tokens - 1, tokens)
    statistics = counter.statistics()
    assert statistics.speedup == 6 / 3
    assert statistics.extra_seconds == 0.5 + (0.5 + 0.5) + 0.5
    assert statistics.draft_seconds == 1.5


def test_no_speedup_is_told_without_a_measurement():
    assert counted((4, 4, 5)).statistics().speedup == 0.0


def test_rounds_without_a_proposal_count_as_forwards_only():
    statistics = counted((0, 0, 1), (3, 2, 3), (0, 0, 1)).statistics()
    assert statistics.acceptance_length == 3.0
    assert statistics.tokens_per_forward == 5 / 3
    assert statistics.accepted_by_position == (1, 1, 0)


@pytest.mark.parametrize(("num_read", "num_reread", "reason"), [(900, 900, "Told."), (300, 300, ""), (0, 0, "")])
def test_what_a_stop_left_unread_was_not_read_again_and_no_sentence_counts_it(num_read, num_reread, reason):
    counter = ReplyCounter(sent_at=0.0, num_prompt=1000, num_cached=100, num_reread=900, reread_reason="Told.")
    counter.num_read = num_read
    statistics = counter.statistics()
    assert statistics.num_read == num_read
    assert (statistics.num_reread, statistics.reread_reason) == (num_reread, reason)


def test_no_round_yet_gives_zeros():
    statistics = counted().statistics()
    assert (statistics.tokens_per_forward, statistics.tokens_per_second, statistics.acceptance_length) == (0, 0, 0)
    assert statistics.time_to_first_token_seconds == 0


def test_decode_rate_leaves_out_the_first_delivery_and_its_wait():
    assert decode_rate(num_tokens=11, num_first=1, seconds=2.0) == 5.0
    assert decode_rate(num_tokens=5, num_first=5, seconds=0.0) == 0.0


def test_acceptance_length_without_a_proposal_is_zero():
    assert acceptance_length(0, 0) == 0.0
