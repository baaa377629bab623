"""Prompt lookup: what is proposed, and when it stops proposing."""

from __future__ import annotations

from engine.drafters.base import DrafterState, DraftRow, TargetView
from engine.drafters.lookup import LookupRows
from engine.drafters.ngram import MAX_DEPTH, NgramDrafter, proposal_length
from engine.messages import Sampling
from engine.sampling import Choice

GREEDY = Choice(Sampling(), 0)


def rows_with(*prompts: list[int]) -> LookupRows:
    rows = NgramDrafter().open(TargetView(vocab_size=100, context_length=512))
    states = [DrafterState(len(prompt) - 1, tuple(prompt[:-1])) for prompt in prompts]
    rows.prepare_append(states).commit()
    return rows


def propose(rows: LookupRows, *pending: int, depth: int = MAX_DEPTH) -> list[list[int]]:
    proposals = rows.propose([DraftRow(token_id, GREEDY) for token_id in pending], [depth] * len(pending))
    counts = proposals.num_proposed.tolist()
    return [ids[:count] for ids, count in zip(proposals.ids.tolist(), counts, strict=True)]


def test_no_earlier_occurrence_proposes_nothing():
    assert propose(rows_with([1, 2, 3, 4, 5, 6]), 6) == [[]]


def test_two_matching_tokens_are_too_few():
    assert propose(rows_with([1, 2, 9, 8, 7, 1, 2]), 2) == [[]]


def test_latest_occurrence_is_followed():
    assert propose(rows_with([1, 2, 3, 50, 51, 52, 1, 2, 3, 60, 61, 62, 1, 2, 3]), 3) == [[60, 61, 62]]


def test_match_of_four_goes_before_a_later_match_of_three():
    assert propose(rows_with([9, 1, 2, 3, 50, 51, 8, 1, 2, 3, 60, 61, 9, 1, 2, 3]), 3)[0][:2] == [50, 51]


def test_longer_match_proposes_more_up_to_the_greatest_depth():
    assert [proposal_length(length) for length in (3, 4, 5)] == [3, 5, 7]
    block = list(range(10, 40))
    assert len(propose(rows_with(block + block[:12]), block[11])[0]) == MAX_DEPTH


def test_depth_caps_a_proposal():
    block = list(range(10, 40))
    assert propose(rows_with(block + block[:12]), block[11], depth=2) == [block[12:14]]
    assert propose(rows_with(block + block[:12]), block[11], depth=0) == [[]]


def test_what_repeats_is_proposed_to_go_on_repeating_past_the_end_of_the_text():
    assert propose(rows_with([1, 2, 1, 2, 1, 2]), 2, depth=5) == [[1, 2, 1, 2, 1]]
    assert propose(rows_with([5, 5, 5, 5]), 5, depth=3) == [[5, 5, 5]]


def fail_once(rows: LookupRows, mark: int) -> list[int]:
    """Repeat four tokens, then write what never followed them; returns what was proposed."""
    for token_id in (91, 92, 93):
        rows.propose([DraftRow(token_id, GREEDY)], [0])
        rows.commit([1], None)
    (proposal,) = propose(rows, 94)
    rows.commit([1], None)
    propose(rows, mark)
    rows.commit([1], None)
    return proposal


def test_two_failed_long_proposals_park_until_a_match_of_eight():
    rows = rows_with([91, 92, 93, 94, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    assert [bool(fail_once(rows, mark)) for mark in (20, 21, 22, 23)] == [True, True, False, False]
    for token_id in (91, 92, 93, 94, 1, 2, 3):
        assert propose(rows, token_id) == [[]]
        rows.commit([1], None)
    assert propose(rows, 4) == [[5, 6, 7, 8, 9, 91, 92, 93]]


def test_failures_before_an_accepted_token_do_not_count_towards_parking():
    rows = rows_with([91, 92, 93, 94, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    fail_once(rows, 1)
    for token_id in (2, 3, 4):
        (proposal,) = propose(rows, token_id)
        rows.commit([1 + len(proposal)], None)
    assert all(fail_once(rows, mark) for mark in (20, 21))


def test_captured_state_proposes_what_the_uninterrupted_row_does():
    rows = rows_with([1, 2, 3, 50, 51, 52, 1, 2, 3], [7, 8])
    propose(rows, 3, 8)
    rows.commit([3, 1], None)
    restored = NgramDrafter().open(TargetView(vocab_size=100, context_length=512))
    restored.prepare_append([rows.capture(0)]).commit()
    rows.filter([0])
    assert rows.capture(0).num_tokens == 11
    assert propose(restored, 52) == propose(rows, 52)
