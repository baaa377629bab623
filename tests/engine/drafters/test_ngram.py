"""Prompt lookup: what is proposed."""

from __future__ import annotations

from collections.abc import Sequence

from engine.drafters.ngram import MAX_DEPTH, NgramDrafter, proposal_length
from tests.engine.drafters.lookups import LookedUp


def propose(*token_ids: int, depth: int = MAX_DEPTH) -> list[int]:
    return LookedUp(NgramDrafter(), token_ids).propose(depth)


def test_no_earlier_occurrence_proposes_nothing():
    assert propose(1, 2, 3, 4, 5, 6, 6) == []


def test_two_matching_tokens_are_too_few():
    assert propose(1, 2, 9, 8, 7, 1, 2) == []


def test_latest_occurrence_is_followed():
    assert propose(1, 2, 3, 50, 51, 52, 1, 2, 3, 60, 61, 62, 1, 2, 3) == [60, 61, 62]


def test_match_of_four_goes_before_a_later_match_of_three():
    assert propose(9, 1, 2, 3, 50, 51, 8, 1, 2, 3, 60, 61, 9, 1, 2, 3)[:2] == [50, 51]


def test_longer_match_proposes_more_up_to_the_greatest_depth():
    assert [proposal_length(length) for length in (3, 4, 5)] == [3, 5, 7]
    block = list(range(10, 50))
    assert len(propose(*block, *block[:12])) == MAX_DEPTH


def test_depth_caps_a_proposal():
    block = list(range(10, 40))
    assert propose(*block, *block[:12], depth=2) == block[12:14]
    assert propose(*block, *block[:12], depth=0) == []


def test_what_repeats_is_proposed_to_go_on_repeating_past_the_end_of_the_text():
    assert propose(1, 2, 1, 2, 1, 2, depth=5) == [1, 2, 1, 2, 1]
    assert propose(5, 5, 5, 5, depth=3) == [5, 5, 5]


def test_longer_match_is_of_a_kind_that_is_trusted_more():
    def prior(text: Sequence[int]) -> float:
        return LookedUp(NgramDrafter(), text).known(MAX_DEPTH).kind.prior[0]

    block = list(range(10, 50))
    priors = [prior([*block, *block[:length]]) for length in (3, 4, 5, 8, 16)]
    assert priors == sorted(set(priors))


def test_row_that_comes_from_a_cohort_proposes_what_the_uninterrupted_one_does():
    row = LookedUp(NgramDrafter(), [1, 2, 3, 50, 51, 52, 1, 2, 3])
    row.propose(8)
    row.take([50, 51])
    state = row.rows.capture(0)
    assert state.num_tokens == len(row.token_ids) - 1 == 10
    assert LookedUp(NgramDrafter(), row.token_ids, state).propose(8) == row.propose(8)
    assert row.propose(3) == [52, 1, 2]
