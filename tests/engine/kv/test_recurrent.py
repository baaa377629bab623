"""Recurrent layers: whatever is kept of a forward, a row's state is that of its text read afresh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx.utils import tree_flatten
from mlx_lm.models.cache import make_prompt_cache

from engine.kv.mixers import prepare_mixers
from engine.kv.recurrent import Recurrent
from engine.kv.rows import BatchedRows, RowState, open_rows
from engine.models.proven import RECURRENT
from tests.engine.tiny import tiny_model

PROMPTS = ([1, 2, 3, 4, 5], [7, 8], [11] * 40, [9, 3, 9])
WINDOWS = [[20, 21, 22, 23], [24, 25, 26, 27], [28, 29, 30, 31], [32, 33, 34, 35]]
MODELS = {model_type: tiny_model(model_type) for model_type in ("qwen3_next", "falcon_h1")}  # plain and nested caches


@pytest.fixture(params=sorted(MODELS))
def model(request: pytest.FixtureRequest) -> nn.Module:
    return MODELS[request.param]


def forward(model: nn.Module, rows: BatchedRows, windows: Sequence[Sequence[int]], keeps_all: bool = False) -> mx.array:
    rows.begin(len(windows[0]), keeps_all)
    return model(mx.array(windows), cache=rows.layers)


def read(model: nn.Module, token_ids: Sequence[int]) -> RowState | None:
    """A row that read a text in one forward; None for no text."""
    if not token_ids:
        return None
    rows = open_rows(model, max_rows=1)
    rows.prepare_append([None]).commit()
    forward(model, rows, [token_ids], keeps_all=True)
    rows.evaluate()
    rows.commit([len(token_ids)])
    return rows.extract(0)


def batch_of(model: nn.Module, prompts: Sequence[Sequence[int]]) -> BatchedRows:
    rows = open_rows(model, max_rows=8)
    for prompt in prompts:
        rows.prepare_append([read(model, prompt)]).commit()
    return rows


def assert_states_equal(model: nn.Module, rows: BatchedRows, texts: Sequence[Sequence[int]]) -> None:
    """Every layer's arrays of every row, and what the model says next."""
    for index, text in enumerate(texts):
        assert rows.lengths[index] == len(text)
        for array, own in zip(leaves(rows.extract(index)), leaves(read(model, text)), strict=True):
            assert mx.allclose(array, own, rtol=1e-4, atol=1e-5), f"row {index}"
    assert_logits_equal(model, rows, texts)


def assert_logits_equal(model: nn.Module, rows: BatchedRows, texts: Sequence[Sequence[int]]) -> None:
    windows = [[40 + index, 50] for index in range(len(texts))]
    logits = forward(model, rows, windows)
    for index, (text, window) in enumerate(zip(texts, windows, strict=True)):
        expected = model(mx.array([[*text, *window]]), cache=make_prompt_cache(model))[0, -2:]
        assert mx.allclose(logits[index], expected, atol=1e-4), f"row {index}"


def leaves(state: RowState | None) -> list[mx.array]:
    assert state is not None
    return [array for _, array in tree_flatten(state.layers)]


@pytest.mark.parametrize("kept", [[0, 0, 0, 0], [1, 1, 1, 1], [4, 4, 4, 4], [1, 4, 2, 3], [3, 0, 3, 4]], ids=str)
def test_rewound_rows_hold_the_state_of_the_text_that_they_kept(model, kept):
    rows = batch_of(model, PROMPTS)
    mx.eval(forward(model, rows, WINDOWS))
    rows.commit(kept)
    texts = [[*prompt, *window[:count]] for prompt, window, count in zip(PROMPTS, WINDOWS, kept, strict=True)]
    assert_states_equal(model, rows, texts)


def test_rows_rewound_before_anything_was_evaluated_hold_the_same(model):
    rows = batch_of(model, PROMPTS[:2])
    for _ in range(2):
        forward(model, rows, WINDOWS[:2])
        rows.commit([1, 2])
    assert_states_equal(model, rows, [[*PROMPTS[0], 20, 20], [*PROMPTS[1], 24, 25, 24, 25]])


@pytest.mark.parametrize("model_type", sorted(RECURRENT))
def test_every_recurrent_type_rewinds_rows_of_unequal_length(model_type):
    model = tiny_model(model_type)
    prompts = [*PROMPTS[:3], []]
    rows = batch_of(model, prompts)
    mx.eval(forward(model, rows, WINDOWS))
    rows.commit([1, 3, 4, 2])
    texts = [[*prompt, *window[:kept]] for prompt, window, kept in zip(prompts, WINDOWS, [1, 3, 4, 2], strict=True)]
    assert_logits_equal(model, rows, texts)


@pytest.mark.parametrize("model_type", sorted(RECURRENT))
def test_every_recurrent_type_goes_wrong_where_nothing_is_replayed(model_type, monkeypatch):
    model = tiny_model(model_type)
    rows = batch_of(model, PROMPTS[:3])
    monkeypatch.setattr("engine.kv.mixers.MixerCall.replay", lambda *_: None)
    forward(model, rows, WINDOWS[:3])
    rows.commit([1, 2, 3])
    with pytest.raises(AssertionError, match="row 0"):
        assert_logits_equal(model, rows, [[*PROMPTS[0], 20], [*PROMPTS[1], 24, 25], [*PROMPTS[2], 28, 29, 30]])


@pytest.mark.parametrize("keep", [[0, 2], [1], [3, 0, 2], [0, 1, 2, 3]], ids=str)
def test_rows_kept_in_any_order_are_unchanged(model, keep):
    rows = batch_of(model, PROMPTS)
    rows.filter(keep)
    assert_states_equal(model, rows, [PROMPTS[index] for index in keep])


def test_row_that_joins_after_others_were_rewound_and_left_starts_clean(model):
    rows = batch_of(model, PROMPTS)
    forward(model, rows, WINDOWS)
    rows.commit([1, 2, 3, 4])
    rows.filter([2, 3])
    rows.prepare_append([read(model, [5, 6, 7])]).commit()
    assert_states_equal(model, rows, [[*PROMPTS[2], 28, 29, 30], [*PROMPTS[3], *WINDOWS[3]], [5, 6, 7]])


@pytest.mark.parametrize("prompts", [[[], []], [PROMPTS[0], []], [[], PROMPTS[1]], [[], [], PROMPTS[0], []]], ids=len)
def test_empty_rows_join_in_any_order_and_are_rewound(model, prompts):
    rows = batch_of(model, prompts)
    forward(model, rows, WINDOWS[: len(prompts)])
    rows.commit([2] * len(prompts))
    assert_states_equal(model, rows, [[*text, *new[:2]] for text, new in zip(prompts, WINDOWS, strict=False)])


def test_empty_row_that_waited_while_others_left_stays_empty(model):
    rows = batch_of(model, [*PROMPTS[:2], []])
    rows.filter([2, 1])
    assert_logits_equal(model, rows, [[], PROMPTS[1]])


def test_prepared_row_that_is_never_committed_changes_nothing(model):
    rows = batch_of(model, PROMPTS[:3])
    rows.prepare_append([read(model, [5] * 20)])
    assert_states_equal(model, rows, PROMPTS[:3])


def test_extracted_row_survives_its_batch(model):
    rows = batch_of(model, PROMPTS[:2])
    state = rows.extract(1)
    forward(model, rows, WINDOWS[:2])
    rows.commit([1, 1])
    rows.filter([])
    rows.prepare_append([state]).commit()
    assert_states_equal(model, rows, [PROMPTS[1]])


def state_bytes(rows: BatchedRows) -> int:
    """Memory in use but for what grows with the text."""
    rows.evaluate()
    mx.clear_cache()
    kept = [layer.arrays() for layer in rows.layers if not isinstance(layer, Recurrent)]
    return mx.get_active_memory() - sum(array.nbytes for _, array in tree_flatten(kept))


def test_state_does_not_grow_over_200_rounds():
    model = MODELS["qwen3_next"]
    rows = batch_of(model, PROMPTS)
    sizes = []
    for count in range(200):
        mx.eval(forward(model, rows, WINDOWS))
        rows.commit([1 + (count + row) % 4 for row in range(4)])
        if count % 100 == 99:
            sizes.append(state_bytes(rows))
    assert sizes[1] - sizes[0] < 10_000  # 100 bytes a round


def test_what_a_forward_recorded_is_freed_by_its_commit():
    model = MODELS["qwen3_next"]
    rows = batch_of(model, PROMPTS[:1])
    before = state_bytes(rows)
    mx.eval(forward(model, rows, [[5] * 500]))
    assert state_bytes(rows) > before + 150_000
    rows.commit([400])
    assert state_bytes(rows) < before + 10_000


def test_rewind_multiplies_by_no_projection_again(model, monkeypatch):
    rows = batch_of(model, PROMPTS)
    mx.eval(forward(model, rows, WINDOWS))
    monkeypatch.setattr(nn.Linear, "__call__", lambda *_: 1 / 0)
    rows.commit([1, 2, 3, 4])
    rows.evaluate()


def test_forward_that_keeps_all_records_nothing():
    model = MODELS["qwen3_next"]
    mx.clear_cache()
    peaks = []
    for keeps_all in (True, False):
        rows = batch_of(model, [[]])
        forward(model, rows, [[5] * 2000], keeps_all)
        rows.evaluate()
        peaks.append(mx.get_active_memory())
    assert peaks[0] < peaks[1] - 1_000_000


def test_prepared_model_keeps_its_parameters_and_its_own_caches_work():
    model, prepared = tiny_model("mamba"), tiny_model("mamba")
    prepare_mixers(prepared)
    prepare_mixers(prepared)
    assert [name for name, _ in tree_flatten(prepared.parameters())] == [
        name for name, _ in tree_flatten(model.parameters())
    ]
    outputs: list[Any] = [each(mx.array([PROMPTS[0]]), cache=make_prompt_cache(each)) for each in (model, prepared)]
    assert mx.array_equal(*outputs)


@pytest.mark.parametrize("model_type", sorted(RECURRENT - {"lfm2", "lfm2_moe"}))
def test_tiny_states_remember_their_first_token(model_type):
    model = tiny_model(model_type)
    texts = mx.array([[first] + [40] * 60 for first in (5, 6)])
    logits = model(texts, cache=make_prompt_cache(model))[:, -1]
    assert mx.abs(logits[0] - logits[1]).max().item() > 1e-3
