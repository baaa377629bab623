"""Suffix decoding: what is proposed from a row's own text and from past replies."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.drafters.suffix import MAX_DEPTH, SuffixDrafter
from engine.drafters.suffix_store import SuffixStore
from tests.engine.drafters.lookups import LookedUp


@pytest.fixture
def store() -> SuffixStore:
    return SuffixStore(max_tokens=100)


def row_with(prompt: Sequence[int], store: SuffixStore) -> LookedUp:
    return LookedUp(SuffixDrafter(store), prompt)


def propose(row: LookedUp, pending: int, depth: int = MAX_DEPTH) -> list[int]:
    row.take([pending])
    return row.propose(depth)


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


def test_row_that_comes_from_a_cohort_proposes_what_the_uninterrupted_one_does(store):
    row = row_with([1, 2, 3, 4, 5, 6, 1, 2, 3], store)
    row.propose(MAX_DEPTH)
    row.take([4, 5, 6])
    state = row.rows.capture(0)
    assert state.num_tokens == len(row.token_ids) - 1 == 11
    restored = LookedUp(SuffixDrafter(store), row.token_ids, state)
    assert restored.propose(MAX_DEPTH) == row.propose(MAX_DEPTH) == [1, 2, 3, 4, 5, 6]


def test_store_that_was_filled_is_indexed_over_several_rounds_and_then_found():
    store = SuffixStore()
    for start in range(0, 100_000, 1000):
        store.remember(f"chat {start}", list(range(start, start + 1000)))
    rounds = [bool(store.latest((99_100, 99_101, 99_102))) for _ in range(30)]
    assert not any(rounds[:15])
    assert all(rounds[25:])
