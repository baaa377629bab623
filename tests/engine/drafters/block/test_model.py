"""The block drafters' mathematics against what the published implementations computed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mlx.core as mx
import pytest

from engine.drafters.block.model import CONTEXT_WINDOW, block_mask
from engine.models.drafting.block_spec import BlockSpec, Reach
from tests.engine.drafters.block.rounds import NAMES, open_checkpoint, replay

TOLERANCE = 1e-4


def difference(first: mx.array, second: mx.array) -> float:
    assert first.shape == second.shape
    return float(mx.max(mx.abs(first - second)))


@pytest.mark.parametrize("name", NAMES)
def test_every_round_of_growing_context_is_the_reference_s(name, tmp_path):
    for step in replay(open_checkpoint(name, tmp_path)):
        assert difference(step.own_hidden, step.hidden) < TOLERANCE
        assert difference(step.own_logits, step.logits) < TOLERANCE
        if step.tokens is not None:
            assert step.predicted.ids.tolist() == step.tokens.tolist()
        assert (step.confidence is None) == (step.predicted.confidence is None)
        if step.confidence is not None:
            assert difference(step.predicted.confidence, step.confidence) < TOLERANCE


def all_reach(spec: BlockSpec, window: int | None, is_causal: bool) -> dict[str, Any]:
    reaches = tuple(Reach(window if reach.window else None, is_causal) for reach in spec.layers.reaches)
    return {"layers": replace(spec.layers, reaches=reaches)}


WRONG = {
    "a block of which no position sees a later one": ("dflash", lambda spec: all_reach(spec, None, True)),
    "a window that is one shorter": ("dflash_sliding", lambda spec: all_reach(spec, 7, True)),
    "a block whose every position sees the whole": ("dflash_sliding", lambda spec: all_reach(spec, 8, False)),
    "windows that end at each position": ("speculators_dflash", lambda spec: {"window_from_anchor": False}),
    "the first prediction one later": ("dspark_vanilla", lambda spec: {"first_prediction": 1, "depth": 5}),
    "the first prediction one earlier": ("speculators_rnn", lambda spec: {"first_prediction": 0, "depth": 6}),
    "an embedding without its scale": ("dspark_gemma4", lambda spec: {"embedding_scale": 1.0}),
    "logits without their cap": ("dspark_gemma4", lambda spec: {"softcap": None}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_convention_is_seen(name, tmp_path):
    golden, changes = WRONG[name]
    checkpoint = open_checkpoint(golden, tmp_path, changes)
    step = list(replay(checkpoint))[-1]
    width = min(step.logits.shape[1], step.own_logits.shape[1])
    assert difference(step.own_logits[:, :width], step.logits[:, :width]) > 100 * TOLERANCE


def test_a_row_sees_its_own_context_alone():
    positions = mx.array([[0, 1, 2, 3], [0, 1, -1, -1]], dtype=mx.int32)
    mask = block_mask(positions, mx.array([3, 2]), 2, Reach())
    assert mask.tolist() == [
        [[[True, True, True, False, True, True]] * 2],
        [[[True, True, False, False, True, True]] * 2],
    ]


def test_a_window_moves_with_the_position_or_stays_at_the_anchor():
    positions, lengths = mx.arange(6, dtype=mx.int32)[None], mx.array([6])
    moving = block_mask(positions, lengths, 3, Reach(4, is_causal=True))[0, 0]
    fixed = block_mask(positions, lengths, 3, Reach(4), window_from_anchor=True)[0, 0]
    assert moving.sum(axis=1).tolist() == [3 + 1, 2 + 2, 1 + 3]
    assert fixed.sum(axis=1).tolist() == [4 + 3] * 3


def test_full_layers_see_the_latest_of_a_long_context():
    length = CONTEXT_WINDOW + 10
    mask = block_mask(mx.arange(length, dtype=mx.int32)[None], mx.array([length]), 2, Reach())[0, 0]
    assert mask[:, :10].sum().item() == 0
    assert mask[:, 10:].all().item()


@pytest.mark.parametrize("name", ["dflash_yarn", "dspark_gemma4", "dspark_rnn"])
def test_everything_is_computed_in_the_type_of_the_weights(name, tmp_path):
    checkpoint = open_checkpoint(name, tmp_path)
    checkpoint.model.set_dtype(mx.bfloat16)
    step = next(replay(checkpoint))
    assert step.own_hidden.dtype == mx.bfloat16
    assert step.own_logits.dtype == mx.bfloat16 or not checkpoint.spec.has_head
    assert difference(step.own_hidden, step.hidden) < 0.5
