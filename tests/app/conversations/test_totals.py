from dataclasses import replace

from app.conversations.totals import add_statistics, num_cached_of, num_read_of
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
    before = statistics_of((3, 3), (3, 2), (2, 1), num_tokens=6, num_prompt=5, num_read=4, tokens_per_second=10.0)
    last = statistics_of(
        (1, 1, 1), (1, 1, 0), (1, 0, 0), num_tokens=2, num_prompt=11, num_cached=9, num_read=2, tokens_per_second=20.0
    )
    whole = replace(
        statistics_of((4, 4, 1), (4, 3, 0), (3, 1, 0), num_tokens=8, tokens_per_second=20.0),
        num_prompt=11,
        num_cached=9,
        num_read=6,
    )
    both = add_statistics(before, last)
    assert both.num_verified == before.num_verified + last.num_verified
    assert replace(both, num_verified=whole.num_verified) == whole


def test_parts_without_proposals_have_no_acceptance_length():
    assert add_statistics(Statistics(), Statistics()) == Statistics(num_read=0)


def test_a_part_that_was_stopped_while_it_read_leaves_the_rates_of_the_one_before():
    before = statistics_of((3,), (3,), (2,), num_tokens=5, tokens_per_second=10.0, speedup=1.5, num_prompt=50)
    both = add_statistics(before, Statistics(num_prompt=60, num_cached=20, num_read=7))
    assert (both.tokens_per_second, both.speedup, both.num_tokens) == (10.0, 1.5, 5)
    assert (both.num_prompt, both.num_cached, both.num_read) == (60, 20, 57)


def test_a_continued_reply_goes_on_saying_what_was_read_again_and_why():
    before = Statistics(num_prompt=50, num_cached=9, num_reread=38, reread_reason="38 tokens: files changed.")
    last = Statistics(num_prompt=60, num_cached=59)
    both = add_statistics(before, last)
    assert (both.num_cached, both.num_read, both.num_reread) == (68, 42, 38)
    assert both.reread_reason == before.reread_reason


def test_the_speedup_of_two_parts_is_weighed_by_the_time_that_they_took():
    drafted = statistics_of((3,), (3,), (2,), num_tokens=5, speedup=2.0)
    plain = Statistics(num_tokens=9, num_rounds=9, verify_seconds=18.0, speedup=1.0)
    assert add_statistics(drafted, plain).speedup == 1.25
    assert add_statistics(drafted, replace(plain, speedup=0.0)).speedup == 2.0


def test_two_reasons_stand_together_and_one_alone_does_not_speak_for_both():
    before = Statistics(num_prompt=50, num_reread=38, reread_reason="38 tokens: files changed.")
    last = Statistics(num_prompt=60, num_reread=12, reread_reason="12 tokens: removed.")
    assert add_statistics(before, last).reread_reason == "38 tokens: files changed. 12 tokens: removed."
    unexplained = add_statistics(before, replace(last, reread_reason=""))
    assert (unexplained.num_reread, unexplained.reread_reason) == (50, "")


def test_what_earlier_versions_do_not_tell_was_read_unless_it_was_cached():
    assert num_read_of(Statistics(num_prompt=50, num_cached=9)) == 41
    assert num_read_of(Statistics(num_prompt=50, num_cached=9, num_read=7)) == 7


def test_what_two_parts_had_cached_is_no_more_than_their_prompt():
    before = Statistics(num_prompt=536, num_cached=534, num_read=2)
    both = add_statistics(before, Statistics(num_prompt=556, num_cached=555, num_read=1))
    assert (num_cached_of(both), num_read_of(both)) == (553, 3)
    assert num_cached_of(before) == 534
    assert num_cached_of(Statistics(num_prompt=50, num_cached=9)) == 9
