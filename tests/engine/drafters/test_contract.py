"""What every drafter that reads its target owes its rows: a proposal follows from the row's text alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from engine.drafters.base import DrafterState
from engine.target import Target
from tests.engine.drafters.driving import Batch, Chat, load_pair
from tests.engine.drafters.reading import PAIRS, tiny_pair

TEXTS = ([1, 2, 3, 4, 5], [7, 8], [(7 * place * place + place) % 61 for place in range(27)])
Loaded = tuple[Target, Any]


@pytest.fixture(scope="module", params=PAIRS, ids="-".join)
def loaded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    folder = tmp_path_factory.mktemp("pair")
    pair = tiny_pair(folder, *request.param)
    return load_pair(pair.target, pair.name, folder)


def batch_of(loaded: Loaded) -> Batch:
    batch = Batch(*loaded)
    for index, text in enumerate(TEXTS):
        batch.join(Chat(list(text), temperature=0.8 * (index % 2)), chunk=6)
    return batch


def propose_alone(loaded: Loaded, chat: Chat, depth: int) -> list[int]:
    """What is proposed for a row that has just read the same text in one piece, and has no neighbour."""
    batch = Batch(*loaded)
    batch.join(Chat(list(chat.history), chat.temperature, chat.is_drafted, chat.position))
    return batch.propose([depth])[0]


def assert_as_alone(loaded: Loaded, batch: Batch, proposals: Sequence[Sequence[int]], depths: Sequence[int]) -> None:
    for chat, ids, depth in zip(batch.chats, proposals, depths, strict=True):
        assert len(ids) <= depth
        assert ids == propose_alone(loaded, chat, depth), chat


def test_rows_of_any_acceptance_and_depth_propose_what_their_text_alone_gives(loaded):
    batch, chance, seen = batch_of(loaded), random.Random(3), set()
    for step in range(8):
        if step in (2, 5):
            batch.join(Chat([20 + step, *range(30, 30 + step)], is_drafted=step == 5))
        if step in (4, 6):
            batch.leave(1)
        depths = [chance.choice([0, 1, 3, 8]) for _ in batch.chats]
        proposals = batch.propose(depths)
        assert_as_alone(loaded, batch, proposals, depths)
        seen |= {tuple(ids) for ids in proposals}
        batch.commit(proposals, [chance.randint(0, len(ids)) for ids in proposals], bonus=chance.randrange(64))
    assert len(seen) > 8


@pytest.mark.parametrize("accepts", [0, 8], ids=["nothing", "everything"])
def test_rounds_that_accept_alike_leave_every_row_aligned(loaded, accepts):
    batch = batch_of(loaded)
    for bonus in range(40, 44):
        proposals = batch.propose([3, 3, 3])
        assert_as_alone(loaded, batch, proposals, [3, 3, 3])
        batch.commit(proposals, [min(accepts, len(ids)) for ids in proposals], bonus)


def test_rounds_without_drafting_leave_every_row_aligned(loaded):
    batch = batch_of(loaded)
    for bonus in range(6):
        batch.commit(batch.propose([0, 0, 2 * (bonus % 2)]), [0, 0, 0], 9 * bonus)
    assert_as_alone(loaded, batch, batch.propose([3, 3, 3]), [3, 3, 3])


def test_restored_rows_propose_what_the_uninterrupted_ones_do(loaded):
    batch, restored = batch_of(loaded), Batch(*loaded)
    proposals = batch.propose([3, 3, 3])
    batch.commit(proposals, [len(proposals[0]), min(1, len(proposals[1])), 0])
    states = [batch.rows.capture(row) for row in range(3)]
    assert [state.num_tokens for state in states] == [len(chat.history) - 1 for chat in batch.chats]
    restored.state.prepare_append([batch.state.extract(row) for row in range(3)]).commit()
    restored.rows.prepare_append(states).commit()
    restored.chats = batch.chats
    proposals = restored.propose([3, 3, 3])
    assert proposals == batch.propose([3, 3, 3])
    restored.commit(proposals, [0, len(proposals[1]), 0])
    assert_as_alone(loaded, restored, restored.propose([3, 3, 3]), [3, 3, 3])


def test_row_that_is_prepared_in_vain_changes_nothing(loaded):
    batch = batch_of(loaded)
    batch.rows.prepare_append([batch.rows.capture(0)])
    assert_as_alone(loaded, batch, batch.propose([3, 3, 3]), [3, 3, 3])


def test_row_that_keeps_nothing_of_a_plain_round_stays_as_it_was(loaded):
    """As one that was stopped while a round was in flight."""
    batch = batch_of(loaded)
    batch.commit(batch.propose([0, 0, 0]), [-1, 0, 0], 5)
    restored = Batch(*loaded)
    restored.state.prepare_append([batch.state.extract(0)]).commit()
    restored.rows.prepare_append([batch.rows.capture(0)]).commit()
    restored.chats = batch.chats[:1]
    assert_as_alone(loaded, restored, restored.propose([3]), [3])
    assert_as_alone(loaded, batch, batch.propose([3, 3, 3]), [3, 3, 3])


def test_row_that_fails_in_a_drafted_round_leaves_its_neighbours_alone(loaded):
    batch = batch_of(loaded)
    proposals = batch.propose([3, 3, 3])
    batch.commit(proposals, [-1, len(proposals[1]), 0], 5)
    batch.leave(0)
    assert_as_alone(loaded, batch, batch.propose([3, 3]), [3, 3])


def test_row_that_begins_late_is_drafted_for_and_leaves_its_neighbours_alone(loaded):
    batch = batch_of(loaded)
    chat = Chat(list(range(11, 30)))
    reader = Batch(*loaded)
    reader.join(chat)
    batch.state.prepare_append([reader.state.extract(0)]).commit()
    batch.rows.prepare_append([DrafterState(18, tuple(chat.history[:-1]), None)]).commit()
    batch.chats.append(chat)
    lengths = []
    for bonus in range(50, 54):
        proposals = batch.propose([3, 3, 3, 3])
        for neighbour, ids in zip(batch.chats[:3], proposals, strict=False):
            assert ids == propose_alone(loaded, neighbour, 3)
        lengths.append(len(proposals[3]))
        batch.commit(proposals, [min(1, len(proposals[0])), 0, 0, 0], bonus)
    assert lengths[-1] > 0


def test_no_state_of_a_late_row_is_kept(loaded):
    batch = Batch(*loaded)
    batch.join(Chat(list(range(11, 30))))
    late = Batch(*loaded)
    late.state.prepare_append([batch.state.extract(0)]).commit()
    late.rows.prepare_append([DrafterState(18, tuple(range(11, 29)), None)]).commit()
    assert late.rows.capture(0).covered is None


def test_what_a_drafter_keeps_of_its_rows_is_told_and_goes_with_them(loaded):
    batch = batch_of(loaded)
    held = batch.rows.num_bytes
    assert held > 0
    for _ in TEXTS:
        batch.leave(0)
    assert batch.rows.num_bytes == 0
