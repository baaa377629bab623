"""Batches: anchors stand where drafting begins, and batch N is the same whenever it is asked for."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from engine.training.batches import WIDTHS, Batches, first_anchor, last_anchor, make_batch
from engine.training.chain import acceptance_length, places, take
from engine.training.corpus import Sample

SAMPLES = [Sample(list(range(start, start + 40 + 5 * start)), 10) for start in range(20)]


def test_first_drafted_token_is_the_replys_second_and_the_last_its_last():
    sample = Sample(list(range(20)), 12)
    batch = make_batch([sample], 256, 200, np.random.default_rng(0))
    positions, is_there = places(batch, 1)
    drafted = {int(place) for place, there in zip(positions.flatten(), is_there.flatten(), strict=True) if there}
    assert drafted == set(range(13, 20))
    assert (first_anchor(sample), last_anchor(sample)) == (11, 17)


def test_later_steps_past_the_end_do_not_count():
    batch = make_batch([Sample(list(range(20)), 17)], 256, 1, np.random.default_rng(0))
    assert batch.anchors.tolist() == [[16]] or batch.anchors.tolist() == [[17]]
    _, is_there = places(batch, 4)
    assert is_there.sum().item() == 20 - (batch.anchors.item() + 2)


def test_batch_is_the_same_whenever_it_is_asked_for():
    first, second = (Batches(SAMPLES, 1024, 8, seed=3) for _ in range(2))
    wanted = second[first.num_epoch + 1]
    for number in range(first.num_epoch + 2):
        last = first[number]
    assert mx.array_equal(last.token_ids, wanted.token_ids)
    assert mx.array_equal(last.anchors, wanted.anchors)


def test_every_sample_is_in_an_epoch():
    batches = Batches(SAMPLES, 1024, 8, seed=0)
    firsts = {int(row[0]) for number in range(batches.num_epoch) for row in batches[number].token_ids}
    assert firsts == set(range(20))


def test_shapes_are_few():
    batches = Batches([*SAMPLES, Sample(list(range(5000)), 100)], 2048, 8, seed=0)
    widths = {batches[number].token_ids.shape[1] for number in range(batches.num_epoch)}
    assert widths <= {*WIDTHS}


def test_take_reads_each_rows_own_places():
    array = mx.arange(24).reshape(2, 6, 2)
    assert take(array, mx.array([[0, 9], [5, 1]])).tolist() == [[[0, 1], [10, 11]], [[22, 23], [14, 15]]]


@pytest.mark.parametrize(
    ("counts", "tokens", "length"),
    [([[0, 0, 0]], [3], 1.0), ([[2, 9, 9]], [3], 3.0), ([[1, 9, 0, 0]], [4], 4 / 3), ([[7]], [1], 1.0), ([], [], 0.0)],
)
def test_rounds_begin_where_the_last_one_ended(counts, tokens, length):
    assert acceptance_length(counts, tokens)[0] == pytest.approx(length)


def test_acceptance_of_a_step_is_of_the_rounds_that_came_to_it():
    _, by_step = acceptance_length([[2, 0, 0, 0, 1, 0]], [6])
    assert by_step == [pytest.approx(2 / 3), pytest.approx(1 / 2), 0.0]
