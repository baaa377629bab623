"""Suffix decoding: what is proposed from a row's own text and from past replies, and when it stops proposing."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from engine.drafters.base import DrafterState, DraftRow, TargetView
from engine.drafters.lookup import LookupRows
from engine.drafters.suffix import MAX_DEPTH, SuffixDrafter
from engine.drafters.suffix_store import SuffixStore
from engine.messages import Sampling
from engine.sampling import Choice

GREEDY = Choice(Sampling(), 0)


@pytest.fixture
def store() -> SuffixStore:
    return SuffixStore(max_tokens=100)


def row_with(prompt: Sequence[int], store: SuffixStore) -> LookupRows:
    rows = SuffixDrafter(store).open(TargetView(vocab_size=1000, context_length=512))
    rows.prepare_append([DrafterState(len(prompt), tuple(prompt))]).commit()
    return rows


def propose(rows: LookupRows, pending: int, depth: int = MAX_DEPTH) -> list[int]:
    return rows.propose([DraftRow(pending, GREEDY)], [depth]).ids.tolist()[0]


def test_copy_of_the_prompt_is_followed_as_far_as_the_match_is_long(store):
    assert propose(row_with([1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2], store), 3) == [4, 5, 6]
    assert propose(row_with([1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4], store), 5) == [6, 7, 8, 9, 1]


def test_two_matching_tokens_are_too_few(store):
    assert propose(row_with([1, 2, 9, 8, 7, 1], store), 2) == []


def test_depth_caps_a_proposal(store):
    assert propose(row_with([1, 2, 3, 4, 5, 6, 1, 2], store), 3, depth=1) == [4]
    assert propose(row_with([1, 2, 3, 4, 5, 6, 1, 2], store), 3, depth=0) == []


def test_most_frequent_continuation_goes_before_the_latest(store):
    prompt = [1, 2, 3, 40, 9, 1, 2, 3, 40, 8, 1, 2, 3, 50, 7, 1, 2]
    assert propose(row_with(prompt, store), 3)[0] == 40


def test_longer_match_goes_before_frequent_ones(store):
    prompt = [1, 2, 3, 40, 9, 1, 2, 3, 40, 8, 6, 5, 1, 2, 3, 50, 51, 52, 6, 5, 1, 2]
    assert propose(row_with(prompt, store), 3)[:2] == [50, 51]


def test_proposal_ends_where_no_continuation_is_likely(store):
    for index in range(5):
        store.remember("other", [1, 2, 3, 4, 60 + index, 70 + index, 80 + index])
    assert propose(row_with([9, 1, 2], store), 3) == [4]


def test_reply_of_another_conversation_is_followed_and_forgotten_at_once(store):
    row = row_with([9, 1, 2], store)
    store.remember("other", [1, 2, 3, 4, 5])
    assert propose(row, 3) == [4, 5]
    row = row_with([9, 1, 2], store)
    store.forget("other")
    assert propose(row, 3) == []
    assert store.num_tokens == 0


def test_forgetting_one_of_two_conversations_with_the_same_reply_keeps_the_other(store):
    reply = (1, 2, 3, 4, 5)
    store.remember("one", reply)
    store.remember("two", reply)
    assert propose(row_with([1, 2], store), 3) == [4, 5]
    store.forget("one")
    assert propose(row_with([1, 2], store), 3) == [4, 5]


def test_oldest_reply_is_dropped_first_where_the_store_is_full(store):
    for first in range(0, 200, 10):
        store.remember(f"chat {first}", range(first, first + 10))
    assert store.num_tokens == 100
    assert propose(row_with([90, 91], store), 92) == []
    assert propose(row_with([100, 101], store), 102) == [103, 104, 105]


def test_reply_longer_than_the_store_keeps_its_end(store):
    store.remember("chat", range(250))
    assert store.num_tokens == 100
    assert propose(row_with([200, 201], store), 202) == [203, 204, 205]


def test_reply_that_is_remembered_twice_counts_once(store):
    store.remember("chat", [1, 2, 3, 4])
    store.remember("chat", [1, 2, 3, 4])
    assert store.num_tokens == 4


def test_ids_that_the_target_lacks_are_not_proposed(store):
    store.remember("of a model with more rows", [1, 2, 3, 1000, 5])
    assert propose(row_with([1, 2], store), 3) == []


def test_captured_row_proposes_what_the_uninterrupted_one_does(store):
    row = row_with([1, 2, 3, 4, 5, 6, 1, 2], store)
    propose(row, 3)
    row.commit([3], None)
    restored = SuffixDrafter(store).open(TargetView(vocab_size=1000, context_length=512))
    restored.prepare_append([row.capture(0)]).commit()
    assert row.capture(0).num_tokens == 11
    assert propose(restored, 6) == propose(row, 6) == [1, 2, 3, 4, 5, 6]


def test_o28_failing_proposals_park_after_two_and_a_copy_brings_them_back(store):
    chance = random.Random(5)
    text = [chance.randrange(500) for _ in range(60)]
    row = row_with(text, store)
    wasted = []
    for index in range(0, 40, 4):  # three tokens that occurred, then others than those that followed
        for token_id in text[index : index + 3]:
            wasted.append(len(propose(row, token_id)))
            row.commit([1], None)
        propose(row, 600 + index)
        row.commit([1], None)
    assert [count for count in wasted if count] == [3, 3]
    for token_id in text[10:17]:
        assert propose(row, token_id) == []
        row.commit([1], None)
    assert propose(row, text[17]) == text[18:26]
