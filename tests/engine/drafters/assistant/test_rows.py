"""Rows of an assistant: each proposes what it would alone, whatever was accepted, whoever joins and leaves."""

from __future__ import annotations

import random
from pathlib import Path

import mlx.core as mx
import pytest

from engine.drafters.base import DrafterState
from engine.kv.state import LayerState, RowState
from tests.engine.drafters.assistant.driving import (
    VOCABULARY,
    Pair,
    assert_drafted_alone,
    draft_alone,
    golden_pair,
    tiny_pair,
)
from tests.engine.drafters.assistant.goldens import HEADS, LENGTHS, WINDOWS, golden
from tests.engine.drafters.driving import Batch, Chat

DEPTH = 3
PROMPTS = ([1, 2, 3, 4, 5], [7, 8], [(7 * place * place + place) % 61 for place in range(27)])


@pytest.fixture(scope="module", params=["gemma4_text", "gemma4", "centroids"])
def pair(request: pytest.FixtureRequest, target: Path, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    options = {"num_centroids": 8} if request.param == "centroids" else {}
    model_type = "gemma4_text" if request.param == "centroids" else request.param
    return tiny_pair(tmp_path_factory.mktemp("pair"), target, model_type, **options)


def batch_of(pair: Pair) -> Batch:
    batch = pair.batch()
    for index, prompt in enumerate(PROMPTS):
        batch.join(Chat(list(prompt), temperature=0.8 * (index % 2)))
    return batch


def test_rows_of_any_acceptance_and_depth_propose_what_each_does_alone(pair):
    batch, chance, seen = batch_of(pair), random.Random(3), set()
    for step in range(10):
        if step in (3, 6):
            batch.join(Chat([20 + step] * (step - 1), is_drafted=step == 6))
        if step in (5, 8):
            batch.leave(1)
        depths = [chance.choice([0, 1, 3, 8]) for _ in batch.chats]
        proposals = batch.propose(depths)
        limits = [min(depth, DEPTH) * chat.is_drafted for depth, chat in zip(depths, batch.chats, strict=True)]
        assert [len(ids) for ids in proposals] == limits
        assert_drafted_alone(pair, batch, proposals)
        seen |= {tuple(ids) for ids in proposals}
        batch.commit(proposals, [chance.randint(0, len(ids)) for ids in proposals], bonus=chance.randrange(VOCABULARY))
    assert len(seen) > 15


@pytest.mark.parametrize("error", [{"hidden_error": -1}, {"position_error": 1}, {"position_error": -1}])
def test_another_hidden_state_or_position_would_be_seen(pair, error):
    batch, differing = batch_of(pair), 0
    for bonus in range(30, 36):
        proposals = batch.propose([3, 3, 3])
        for chat, ids in zip(batch.chats, proposals, strict=True):
            differing += ids != draft_alone(pair, chat.history, chat.choice, len(ids), **error)
        batch.commit(proposals, [3, 1, 0], bonus)
    assert differing > 3


def test_row_whose_window_has_wrapped_is_drafted_for(pair):
    batch = batch_of(pair)
    for bonus in range(30, 42):
        proposals = batch.propose([3, 3, 3])
        assert_drafted_alone(pair, batch, proposals)
        batch.commit(proposals, [3, 3, 0], bonus)
    assert min(len(chat.history) for chat in batch.chats) > 16 + 17


@pytest.mark.parametrize("place", WINDOWS)
@pytest.mark.parametrize("head", HEADS)
def test_unequal_rows_of_the_references_target_are_drafted_for_as_they_do(tmp_path, target, head, place):
    batch = golden_pair(tmp_path, target, head, place).batch()
    rows = [golden(head, place, row) for row in range(len(LENGTHS))]
    for row in rows:
        batch.join(Chat(row.token_ids), chunk=4)
    assert batch.propose([8] * len(rows)) == [row.drafted[:DEPTH] for row in rows]


def test_rounds_without_drafting_keep_the_rows_aligned(pair):
    batch = batch_of(pair)
    for bonus in range(8):
        batch.commit(batch.propose([0, 0, 2 * (bonus % 2)]), [0, 0, 0], bonus)
    assert_drafted_alone(pair, batch, batch.propose([3, 0, 3]))


def test_row_that_keeps_nothing_stays_as_it_was(pair):
    batch = batch_of(pair)
    batch.commit(batch.propose([3, 3, 3]), [-1, 2, 1], 5)
    assert_drafted_alone(pair, batch, batch.propose([3, 3, 3]))


def test_prompt_that_is_read_in_chunks_is_drafted_for(pair):
    batch = pair.batch()
    batch.join(Chat([3, 1, 4, 1, 5, 9, 2, 6, 5, 3]), chunk=4)
    assert_drafted_alone(pair, batch, batch.propose([3]))


def test_restored_row_proposes_what_the_uninterrupted_one_does(pair):
    batch, restored = batch_of(pair), pair.batch()
    batch.commit(batch.propose([3, 3, 3]), [3, 2, 0])
    states = [batch.rows.capture(row) for row in range(3)]
    assert [state.num_tokens for state in states] == [len(chat.history) - 1 for chat in batch.chats]
    restored.state.prepare_append([batch.state.extract(row) for row in range(3)]).commit()
    restored.rows.prepare_append(states).commit()
    restored.chats = batch.chats
    assert restored.propose([3, 3, 3]) == batch.propose([3, 3, 3])


def test_kept_state_is_one_hidden_state_of_its_own(pair):
    batch = batch_of(pair)
    state = batch.rows.capture(1)
    assert state.covered is not None
    assert [array.shape for array in state.covered.arrays()] == [(1, 1, 32)]
    before = state.covered.fixed[0].tolist()
    batch.commit(batch.propose([3, 3, 3]), [1, 1, 1])
    assert state.covered.fixed[0].tolist() == before


@pytest.mark.parametrize("covered", [None, 3])
def test_row_without_its_hidden_state_proposes_nothing_until_a_forward_gave_it(pair, covered):
    batch, late = batch_of(pair), pair.batch()
    state = batch.rows.capture(0)
    if covered is None:
        stale = None
    else:
        stale = RowState(covered, (LayerState(fixed=state.covered.fixed),))
    late.state.prepare_append([batch.state.extract(0)]).commit()
    late.rows.prepare_append([DrafterState(state.num_tokens, (), stale)]).commit()
    late.chats = batch.chats[:1]
    assert late.propose([3]) == [[]]
    assert late.rows.capture(0).covered is None
    late.commit([[]], [0])
    proposals = late.propose([3])
    assert len(proposals[0]) == DEPTH
    assert_drafted_alone(pair, late, proposals)


def test_cold_row_of_one_token_joins_warm_ones(pair):
    batch = batch_of(pair)
    batch.join(Chat([5]))
    proposals = batch.propose([3, 3, 3, 3])
    assert proposals[3] == []
    assert_drafted_alone(pair, batch, proposals)
    batch.commit(proposals, [1, 0, 2, 0])
    assert_drafted_alone(pair, batch, batch.propose([3, 3, 3, 3]))


def test_prepared_row_that_does_not_join_changes_nothing(pair):
    batch = batch_of(pair)
    batch.rows.prepare_append([batch.rows.capture(0)])
    assert_drafted_alone(pair, batch, batch.propose([3, 3, 3]))


def test_copy_under_way_goes_before_the_drafter(pair):
    block = list(range(20, 36))
    batch = batch_of(pair)
    batch.join(Chat(block + block[:9]))
    proposals = batch.propose([3, 3, 3, 8])
    assert proposals[3] == block[9:16] + block[:1]
    assert_drafted_alone(pair, batch, [*proposals[:2], [], []])
    batch.commit(proposals, [3, 1, 0, 8], bonus=3)
    assert_drafted_alone(pair, batch, [*batch.propose([3, 3, 0, 3])])


def test_hidden_states_hold_no_chunk_of_a_prompt(pair):
    batch = pair.batch()
    batch.join(Chat([1] * 9))
    context = mx.zeros((1, 200_000, 32))
    mx.eval(context)
    before = mx.get_active_memory()
    batch.rows.prefill([[1] * 200_000], context)
    batch.rows.commit([1], context[:, :2])
    del context
    mx.synchronize()
    assert mx.get_active_memory() < before - 20_000_000
