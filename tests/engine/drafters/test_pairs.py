"""Heads of pairs propose what they would write after each row's own text, read with the target's true features."""

from __future__ import annotations

import random

import mlx.core as mx
import pytest

from engine.drafters.base import DrafterState
from engine.drafters.pairs import READ_AT, PairHead, kind_of_state
from engine.kv.state import RowState
from engine.prompt_cache.entries import Stream
from tests.engine.drafters.pairing import CHAIN, VOCABULARY, Batch, Chat, TinyHead

PROMPTS = ([1, 2, 3, 4, 5], [7, 8], [9, 3, 9])
HEAD = TinyHead()


@pytest.fixture
def head() -> PairHead:
    return HEAD


def batch_of(head: PairHead, **options: int) -> Batch:
    batch = Batch(head, **options)
    for index, prompt in enumerate(PROMPTS):
        batch.join(prompt, temperature=0.8 * (index % 2), chunk_length=1 + index)
    return batch


def test_rows_of_any_acceptance_and_depth_propose_what_the_head_writes(head):
    batch, chance = batch_of(head), random.Random(3)
    for step in range(16):
        if step in (4, 9):
            batch.join([20 + step] * (step - 3))
        if step in (6, 11, 13, 14):  # from four rows to one
            batch.leave(len(batch.chats) // 2)
        depths = [chance.choice([0, 1, 3, 8]) for _ in batch.chats]
        proposals = batch.propose(depths)
        assert [len(ids) for ids in proposals] == [min(depth, CHAIN.length) for depth in depths]
        batch.assert_written(proposals)
        batch.commit(proposals, [chance.randint(0, len(ids)) for ids in proposals], bonus=chance.randrange(VOCABULARY))
    assert len(batch.chats) == 1


def test_full_acceptances_in_a_row_stay_aligned(head):
    batch = batch_of(head)
    for bonus in range(30, 36):
        proposals = batch.propose([4, 4, 4])
        batch.assert_written(proposals)
        batch.commit(proposals, [4, 4, 4], bonus)


class WatchedHead(TinyHead):
    """Notes the width of each forward."""

    def __init__(self) -> None:
        super().__init__()
        self.widths: list[int] = []

    def forward(self, token_ids, features, cache):
        self.widths.append(token_ids.shape[1])
        return super().forward(token_ids, features, cache)


@pytest.mark.parametrize("is_ahead", [False, True])
def test_rounds_without_drafts_keep_alignment_and_are_read_few_at_a_time(is_ahead):
    head, chance = WatchedHead(), random.Random(5)
    batch = batch_of(head)
    head.widths.clear()
    for _ in range(3 * READ_AT):
        assert batch.propose([0, 0, 0]) == [[]] * 3
        if is_ahead:
            batch.run_ahead(chance.randrange(VOCABULARY))
        else:
            batch.commit([[]] * 3, [0, 0, 0], chance.randrange(VOCABULARY))
    proposals = batch.propose([4, 0, 4])
    assert max(head.widths) <= READ_AT
    assert len(head.widths) <= 3 + CHAIN.length
    batch.assert_written(proposals)


def restored(batch: Batch) -> Batch:
    """The rows of a batch, saved and found again in another one."""
    states = [batch.rows.capture(row) for row in range(len(batch.chats))]
    other = Batch(batch.head, chats=batch.chats)
    other.rows.prepare_append(states).commit()
    return other


@pytest.mark.parametrize("is_ahead", [False, True])
def test_restored_row_proposes_what_the_uninterrupted_one_does(head, is_ahead):
    batch = batch_of(head)
    batch.commit(batch.propose([4, 4, 4]), [4, 2, 0])
    if is_ahead:
        batch.run_ahead(17)
    for row, chat in enumerate(batch.chats):
        state = batch.rows.capture(row)
        assert (state.num_tokens, state.token_ids) == (len(chat.history) - 1, tuple(chat.history[:-1]))
        assert state.covered.num_tokens == state.num_tokens
    assert restored(batch).propose([4, 4, 4]) == batch.propose([4, 4, 4])


def test_state_has_a_column_for_each_token_and_the_first_may_be_left_out(head):
    batch = batch_of(head)
    whole, tail, end = (batch.rows.capture(0, start).covered for start in (0, 2, 4))
    assert [array.shape[2] for state in (whole, tail, end) for array in state.grown] == [4, 4, 2, 2, 0, 0]
    assert [(state.num_tokens, state.start) for state in (whole, tail, end)] == [(4, 0), (4, 2), (4, 4)]
    assert mx.array_equal(whole.grown[0][:, :, 2:], tail.grown[0])
    shape = kind_of_state(Stream("", ()), head.module).shape
    assert shape.is_exact
    assert shape.split(whole.grown, whole.fixed) == whole.layers


def test_row_that_was_restored_without_the_head_begins_with_what_it_sees(head):
    batch, text = batch_of(head), [4, 8, 15, 16, 23, 42]
    batch.rows.prepare_append([DrafterState(5, tuple(text[:5]))]).commit()
    batch.chats.append(Chat(list(text), start=5))
    proposals = batch.propose([3, 3, 3, 3])
    assert [len(ids) for ids in proposals] == [3, 3, 3, 0]
    batch.commit(proposals, [1, 0, 3, 0], bonus=9)
    proposals = batch.propose([3, 3, 3, 3])
    assert [len(ids) for ids in proposals] == [3] * 4
    batch.assert_written(proposals)
    batch.commit(proposals, [0, 1, 2, 3])
    assert [batch.rows.capture(row).covered is None for row in range(4)] == [False, False, False, True]


def test_row_that_began_late_takes_what_it_read_to_another_batch(head):
    batch, text = Batch(head), [4, 8, 15, 16, 23, 42, 7, 7]
    state = batch.read(text, state=DrafterState(3, tuple(text[:3])))
    assert state.covered is None
    batch.rows.prepare_append([state]).commit()
    batch.chats.append(Chat(list(text), start=3))
    batch.assert_written(batch.propose([4]))


def test_state_that_ends_before_the_text_is_gone_on_with_behind_a_gap(head):
    batch, text = Batch(head), [4, 8, 15, 16, 23, 42, 7, 7]
    covered = batch.read(text[:4]).covered
    state = batch.read(text, state=DrafterState(5, tuple(text[:5]), covered))
    assert state.covered is None
    pairs = state.unsaved.pairs
    assert isinstance(pairs, RowState)
    assert pairs.num_tokens == 3  # the first two, and that of token 6; the feature of token 6 waits
    batch.rows.prepare_append([state]).commit()
    batch.chats.append(Chat(list(text)))
    assert [len(ids) for ids in batch.propose([4])] == [4]


def test_prepared_row_that_does_not_join_changes_nothing(head):
    batch = batch_of(head)
    batch.rows.prepare_append([batch.rows.capture(0)])
    batch.assert_written(batch.propose([4, 4, 4]))


def test_row_of_one_token_proposes_from_its_second_round_on(head):
    batch = Batch(head)
    batch.join([5])
    assert batch.propose([4]) == [[]]
    batch.commit([[]], [0], bonus=6)
    proposals = batch.propose([4])
    batch.assert_written(proposals)
    assert len(proposals[0]) == 4


def test_no_row_is_drafted_for_past_the_context_of_the_head(head):
    batch, lengths = batch_of(head, context_length=8), []
    for bonus in range(3):
        proposals = batch.propose([4, 4, 4])
        batch.assert_written(proposals)
        lengths.append([len(ids) for ids in proposals])
        batch.commit(proposals, [len(ids) for ids in proposals], bonus)
    assert lengths == [[3, 4, 4], [0, 1, 0], [0, 0, 0]]


def test_copy_under_way_goes_before_the_head(head):
    block = list(range(20, 36))
    batch = batch_of(head)
    batch.join(block + block[:9])
    proposals = batch.propose([4, 4, 4, 8])
    assert proposals[3] == block[9:16] + block[:1]
    batch.assert_written([*proposals[:3], []])
    batch.commit(proposals, [4, 1, 0, 8], bonus=3)
    batch.assert_written(batch.propose([4, 4, 4, 4]))


def test_long_copies_that_are_accepted_leave_the_head_something_to_start_with(head):
    block = list(range(60))
    batch = Batch(head)
    batch.join(block + block[:20])
    proposals = batch.propose([16])
    batch.commit(proposals, [len(proposals[0])], bonus=60)
    assert len(proposals[0]) == READ_AT
    batch.assert_written(batch.propose([4]))


@pytest.mark.parametrize("wrong", ["shifted", "rejected"])
def test_features_of_other_tokens_are_noticed(head, wrong, monkeypatch):
    batch = batch_of(head)
    batch.commit(batch.propose([4, 4, 4]), [2, 1, 0])
    commit, shift = batch.rows.commit, {"shifted": 1, "rejected": 2}[wrong]
    monkeypatch.setattr(batch.rows, "commit", lambda kept, context: commit(kept, mx.roll(context, shift, axis=1)))
    batch.commit(batch.propose([4, 4, 4]), [2, 1, 1])
    with pytest.raises(AssertionError):
        batch.assert_written(batch.propose([4, 4, 4]))
