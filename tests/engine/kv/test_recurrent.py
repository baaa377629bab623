"""Recurrent layers: whatever is kept of a forward, a row's state is that of its text read afresh."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx.utils import tree_flatten
from mlx_lm.models.cache import make_prompt_cache

from engine.kv.mixers import prepare_mixers
from engine.kv.recurrent import Recurrent
from engine.kv.rows import BatchedRows
from tests.engine.families import RECURRENT
from tests.engine.kv.driving import Driven, state_arrays
from tests.engine.tiny import tiny_model

PROMPTS = ([1, 2, 3, 4, 5], [7, 8], [11] * 40, [9, 3, 9])
WINDOWS = [[20, 21, 22, 23], [24, 25, 26, 27], [28, 29, 30, 31], [32, 33, 34, 35]]
TINY = Driven(tiny_model("qwen3_next"))
NESTED = Driven(tiny_model("falcon_h1"))


@pytest.fixture(params=[NESTED, TINY], ids=["falcon_h1", "qwen3_next"])
def tiny(request: pytest.FixtureRequest) -> Driven:
    return request.param


def assert_states_equal(tiny: Driven, rows: BatchedRows, texts: Sequence[Sequence[int]]) -> None:
    """Every layer's arrays of every row, and what the model says next."""
    for index, text in enumerate(texts):
        assert rows.lengths[index] == len(text)
        for array, own in zip(state_arrays(rows.extract(index)), state_arrays(tiny.read(text)), strict=True):
            scale = mx.maximum(mx.abs(own).max(), 0.1)  # rounding differs between one BLAS and another
            assert mx.abs(array - own).max() < 1e-4 * scale, f"row {index}"
    assert_logits_equal(tiny, rows, texts)


def assert_logits_equal(tiny: Driven, rows: BatchedRows, texts: Sequence[Sequence[int]]) -> None:
    windows = [[40 + index, 50] for index in range(len(texts))]
    logits = tiny.forward(rows, windows)
    for index, (text, window) in enumerate(zip(texts, windows, strict=True)):
        expected = tiny.model(mx.array([[*text, *window]]), cache=make_prompt_cache(tiny.model))[0, -2:]
        assert mx.allclose(logits[index], expected, atol=1e-4), f"row {index}"


@pytest.mark.parametrize("kept", [[0, 0, 0, 0], [1, 1, 1, 1], [4, 4, 4, 4], [1, 4, 2, 3], [3, 0, 3, 4]], ids=str)
def test_rewound_rows_hold_the_state_of_the_text_that_they_kept(tiny, kept):
    rows = tiny.batch(PROMPTS)
    mx.eval(tiny.forward(rows, WINDOWS))
    rows.commit(kept)
    texts = [[*prompt, *window[:count]] for prompt, window, count in zip(PROMPTS, WINDOWS, kept, strict=True)]
    assert_states_equal(tiny, rows, texts)


def test_rows_rewound_before_anything_was_evaluated_hold_the_same(tiny):
    rows = tiny.batch(PROMPTS[:2])
    for _ in range(2):
        tiny.forward(rows, WINDOWS[:2])
        rows.commit([1, 2])
    assert_states_equal(tiny, rows, [[*PROMPTS[0], 20, 20], [*PROMPTS[1], 24, 25, 24, 25]])


@pytest.mark.parametrize("model_type", sorted(RECURRENT))
def test_every_recurrent_type_rewinds_rows_of_unequal_length(model_type):
    tiny = Driven(tiny_model(model_type))
    prompts = [*PROMPTS[:3], []]
    rows = tiny.batch(prompts)
    mx.eval(tiny.forward(rows, WINDOWS))
    rows.commit([1, 3, 4, 2])
    texts = [[*prompt, *window[:kept]] for prompt, window, kept in zip(prompts, WINDOWS, [1, 3, 4, 2], strict=True)]
    assert_logits_equal(tiny, rows, texts)


@pytest.mark.parametrize("model_type", sorted(RECURRENT))
def test_every_recurrent_type_goes_wrong_where_nothing_is_replayed(model_type, monkeypatch):
    tiny = Driven(tiny_model(model_type))
    rows = tiny.batch(PROMPTS[:3])
    monkeypatch.setattr("engine.kv.mixers.MixerCall.replay", lambda *_: None)
    tiny.forward(rows, WINDOWS[:3])
    rows.commit([1, 2, 3])
    with pytest.raises(AssertionError, match="row 0"):
        assert_logits_equal(tiny, rows, [[*PROMPTS[0], 20], [*PROMPTS[1], 24, 25], [*PROMPTS[2], 28, 29, 30]])


@pytest.mark.parametrize("keep", [[0, 2], [1], [3, 0, 2], [0, 1, 2, 3]], ids=str)
def test_rows_kept_in_any_order_are_unchanged(tiny, keep):
    rows = tiny.batch(PROMPTS)
    rows.filter(keep)
    assert_states_equal(tiny, rows, [PROMPTS[index] for index in keep])


def test_row_that_joins_after_others_were_rewound_and_left_starts_clean(tiny):
    rows = tiny.batch(PROMPTS)
    tiny.forward(rows, WINDOWS)
    rows.commit([1, 2, 3, 4])
    rows.filter([2, 3])
    rows.prepare_append([tiny.read([5, 6, 7])]).commit()
    assert_states_equal(tiny, rows, [[*PROMPTS[2], 28, 29, 30], [*PROMPTS[3], *WINDOWS[3]], [5, 6, 7]])


@pytest.mark.parametrize("prompts", [[[], []], [PROMPTS[0], []], [[], PROMPTS[1]], [[], [], PROMPTS[0], []]], ids=len)
def test_empty_rows_join_in_any_order_and_are_rewound(tiny, prompts):
    rows = tiny.batch(prompts)
    tiny.forward(rows, WINDOWS[: len(prompts)])
    rows.commit([2] * len(prompts))
    assert_states_equal(tiny, rows, [[*text, *new[:2]] for text, new in zip(prompts, WINDOWS, strict=False)])


def test_empty_row_that_waited_while_others_left_stays_empty(tiny):
    rows = tiny.batch([*PROMPTS[:2], []])
    rows.filter([2, 1])
    assert_logits_equal(tiny, rows, [[], PROMPTS[1]])


def test_prepared_row_that_is_never_committed_changes_nothing(tiny):
    rows = tiny.batch(PROMPTS[:3])
    rows.prepare_append([tiny.read([5] * 20)])
    assert_states_equal(tiny, rows, PROMPTS[:3])


def test_extracted_row_survives_its_batch(tiny):
    rows = tiny.batch(PROMPTS[:2])
    state = rows.extract(1)
    tiny.forward(rows, WINDOWS[:2])
    rows.commit([1, 1])
    rows.filter([])
    rows.prepare_append([state]).commit()
    assert_states_equal(tiny, rows, [PROMPTS[1]])


def state_bytes(rows: BatchedRows) -> int:
    """Memory in use but for what grows with the text."""
    rows.evaluate()
    gc.collect()  # or arrays that earlier tests left behind go in between
    mx.clear_cache()
    kept = [layer.arrays() for layer in rows.layers if not isinstance(layer, Recurrent)]
    return mx.get_active_memory() - sum(array.nbytes for _, array in tree_flatten(kept))


def test_state_does_not_grow_over_200_rounds():
    rows = TINY.batch(PROMPTS)
    sizes = []
    for count in range(200):
        mx.eval(TINY.forward(rows, WINDOWS))
        rows.commit([1 + (count + row) % 4 for row in range(4)])
        if count % 100 == 99:
            sizes.append(state_bytes(rows))
    assert sizes[1] - sizes[0] < 10_000  # 100 bytes a round


def test_what_a_forward_recorded_is_freed_by_its_commit():
    rows = TINY.batch(PROMPTS[:1])
    before = state_bytes(rows)
    mx.eval(TINY.forward(rows, [[5] * 500]))
    assert state_bytes(rows) > before + 150_000
    rows.commit([400])
    assert state_bytes(rows) < before + 10_000


def test_rewind_multiplies_by_no_projection_again(tiny, monkeypatch):
    rows = tiny.batch(PROMPTS)
    mx.eval(tiny.forward(rows, WINDOWS))
    monkeypatch.setattr(nn.Linear, "__call__", lambda *_: 1 / 0)
    rows.commit([1, 2, 3, 4])
    rows.evaluate()


def test_forward_that_keeps_all_records_nothing():
    mx.clear_cache()
    peaks = []
    for keeps_all in (True, False):
        rows = TINY.batch([[]])
        TINY.forward(rows, [[5] * 2000], keeps_all)
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


def test_rewind_over_several_forwards_takes_each_row_to_its_own(tiny):
    texts = [list(prompt) for prompt in PROMPTS]
    rows = tiny.batch(texts)
    kept = [0, 3, 1, 2]
    rows.mark()
    for column in zip(*WINDOWS, strict=True):
        mx.eval(tiny.forward(rows, [[token_id] for token_id in column]))
        rows.commit([1] * 4)
    rows.rewind(kept)
    assert_states_equal(
        tiny, rows, [text + window[:count] for text, window, count in zip(texts, WINDOWS, kept, strict=True)]
    )
