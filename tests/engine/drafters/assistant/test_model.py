"""The forward of an assistant against transformers' and mlx-vlm's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import pytest

from engine.drafters.assistant.model import AssistantModel, Borrowed, CentroidHead, visible
from tests.engine.drafters.assistant.goldens import (
    HEADS,
    LENGTHS,
    STEPS,
    WINDOWS,
    Golden,
    borrow,
    embed,
    golden,
    load_module,
    write_drafter,
)

ROWS = range(len(LENGTHS))
TOLERANCE = 1e-4


@pytest.fixture
def module(tmp_path: Path) -> Callable[..., AssistantModel]:
    def load(head: str, place: str, **changes: object) -> AssistantModel:
        return load_module(write_drafter(tmp_path / "drafter", head, place, **changes))[0]

    return load


def chain(model: AssistantModel, rows: Sequence[Golden], borrowed: Borrowed) -> tuple[mx.array, mx.array]:
    """Logits and hidden states of greedy steps, [rows, steps, ·] each."""
    token_ids = mx.array([row.token_ids[-1] for row in rows])
    hidden = mx.concatenate([row.hidden for row in rows])
    logits, hiddens = [], []
    for _ in range(STEPS):
        step, hidden = model(embed(token_ids), hidden, borrowed)
        token_ids = mx.argmax(step, axis=-1)
        logits.append(step[:, None])
        hiddens.append(hidden)
    return mx.concatenate(logits, axis=1), mx.concatenate(hiddens, axis=1)


def distance(logits: mx.array, truth: mx.array) -> float:
    """Of scored tokens; what the references fill up with, the least less one, must be what is never drawn here."""
    is_scored = truth > mx.min(truth, axis=-1, keepdims=True)
    is_filled = mx.sum(~is_scored, axis=-1, keepdims=True) > 1
    assert mx.array_equal(logits > -mx.inf, is_scored | ~is_filled)
    return mx.max(mx.where(logits > -mx.inf, mx.abs(logits - truth), 0.0)).item()


@pytest.mark.parametrize("place", WINDOWS)
@pytest.mark.parametrize("head", HEADS)
def test_four_chained_steps_of_unequal_rows_in_a_batch_are_those_of_the_references(module, head, place):
    rows = [golden(head, place, row) for row in ROWS]
    logits, hiddens = chain(module(head, place), rows, borrow(rows, WINDOWS[place]))
    for row in ROWS:
        assert distance(logits[row], rows[row].logits) < TOLERANCE
        assert mx.max(mx.abs(hiddens[row] - rows[row].hiddens)).item() < TOLERANCE


@pytest.mark.parametrize("place", WINDOWS)
@pytest.mark.parametrize("head", HEADS)
def test_row_in_a_batch_equals_the_row_alone(module, head, place):
    rows, model = [golden(head, place, row) for row in ROWS], module(head, place)
    together, _ = chain(model, rows, borrow(rows, WINDOWS[place]))
    for row in ROWS:
        alone, _ = chain(model, rows[row : row + 1], borrow(rows[row : row + 1], WINDOWS[place]))
        assert mx.allclose(together[row], alone[0], rtol=0, atol=1e-4)


@pytest.mark.parametrize("fault", [{"position_error": 1}, {"position_error": -1}, {"num_stale": 1}, {"num_stale": -1}])
def test_another_position_or_another_number_of_tokens_is_far_from_the_references(module, fault):
    rows = [golden("dense", "inside", row) for row in ROWS]
    logits, _ = chain(module("dense", "inside"), rows, borrow(rows, WINDOWS["inside"], **fault))
    assert min(distance(logits[row], rows[row].logits) for row in ROWS) > 100 * TOLERANCE


@pytest.mark.parametrize("error", [-1, 1])
def test_another_window_is_far_from_the_references(module, error):
    rows = [golden("dense", "past", row) for row in (0, 2)]
    logits, _ = chain(module("dense", "past"), rows, borrow(rows, WINDOWS["past"] + error))
    assert min(distance(logits[row], rows[row].logits) for row in range(2)) > 100 * TOLERANCE


def test_declared_centroids_without_weights_leave_the_dense_head(module):
    rows = [golden("dense", "inside", row) for row in ROWS]
    model = module("dense", "inside", use_ordered_embeddings=True, num_centroids=8)
    logits, _ = chain(model, rows, borrow(rows, WINDOWS["inside"]))
    assert distance(logits[0], rows[0].logits) < TOLERANCE


@pytest.mark.parametrize("bits", [4, 8])
def test_centroids_score_the_rows_of_a_packed_embedding(tmp_path, bits):
    _, spec = load_module(write_drafter(tmp_path / "drafter", "centroid", "inside"))
    head, output = CentroidHead(replace(spec, width=32)), mx.random.normal((2, 32), key=mx.random.key(bits))
    head.token_ordering = mx.arange(48)[::-1]
    packed = nn.Embedding(48, 32).to_quantized(group_size=32, bits=bits)
    scored, dense = head(output, packed), packed.as_linear(output)
    assert mx.allclose(mx.where(scored > -mx.inf, scored, dense), dense, atol=1e-4)
    assert mx.sum(scored > -mx.inf, axis=-1).tolist() == [3 * 48 // 8] * 2


def test_row_sees_its_last_tokens_and_nothing_that_was_rejected():
    ring = mx.array([[8, 9, 10, 3, 4, 5, 6, 7], [0, 1, 2, -1, -1, -1, -1, -1]])
    assert visible(ring, mx.array([9, 2]), 4)[:, 0, 0].tolist() == [
        [True, False, False, False, False, True, True, True],
        [True, True, False, False, False, False, False, False],
    ]


def test_row_of_which_nothing_was_read_divides_by_no_zero():
    assert visible(mx.array([[0, -1]]), mx.array([0]), None).tolist() == [[[[True, True]]]]
