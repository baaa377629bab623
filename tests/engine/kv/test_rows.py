"""State rows: each row of a batch gives the logits that it gives alone, whatever joined, left or was rewound."""

from __future__ import annotations

import gc
from collections.abc import Sequence

import mlx.core as mx
import pytest
from mlx_lm.models.cache import make_prompt_cache

from engine.kv.rows import BatchedRows
from engine.messages import UNQUANTISED, KvScheme
from tests.engine.kv.driving import Driven
from tests.engine.tiny import tiny_model

TINY = Driven(tiny_model("llama"))
PROMPTS = ([1, 2, 3, 4, 5], [7, 8], [11] * 300, [9, 3, 9])

_KINDS = [
    pytest.param("llama", UNQUANTISED, id="full"),
    pytest.param("llama", KvScheme(8, 32), id="quantised"),
    pytest.param("llama", KvScheme(8, 32, start=30), id="quantised later"),
    pytest.param("gemma3_text", UNQUANTISED, id="window"),
    pytest.param("qwen3_next", UNQUANTISED, id="recurrent"),
    pytest.param("falcon_h1", UNQUANTISED, id="nested"),
]


def expected(token_ids: Sequence[int], width: int) -> mx.array:
    """Logits of the last `width` tokens from mlx-lm's own cache."""
    return TINY.model(mx.array([token_ids]), cache=make_prompt_cache(TINY.model))[0, -width:]


def assert_rows_equal(rows: BatchedRows, texts: Sequence[Sequence[int]], windows: list[list[int]]) -> None:
    logits = TINY.forward(rows, windows)
    for index, (text, window) in enumerate(zip(texts, windows, strict=True)):
        assert mx.allclose(logits[index], expected([*text, *window], len(window)), atol=1e-4), f"row {index}"


@pytest.mark.parametrize("width", [1, 3])
def test_rows_of_unequal_length_are_each_read_at_their_own_positions(width):
    assert_rows_equal(TINY.batch(PROMPTS), PROMPTS, [[20 + row] * width for row in range(len(PROMPTS))])


@pytest.mark.parametrize("padding", [0, 20, 49])
def test_what_a_short_window_is_padded_with_cannot_matter(padding):
    rows = TINY.batch(PROMPTS[:2])
    logits = TINY.forward(rows, [[20, 21, 22], [20, padding, padding]])
    assert mx.allclose(logits[1, :1], expected([*PROMPTS[1], 20], 1), atol=1e-4)
    rows.commit([3, 1])
    assert_rows_equal(rows, [[*PROMPTS[0], 20, 21, 22], [*PROMPTS[1], 20]], [[30], [31]])


def test_rows_rewound_to_unequal_lengths_go_on_from_there():
    rows, windows, kept = TINY.batch(PROMPTS), [[20, 21, 22]] * len(PROMPTS), [1, 3, 2, 1]
    mx.eval(TINY.forward(rows, windows))
    rows.commit(kept)
    texts = [[*prompt, *window[:count]] for prompt, window, count in zip(PROMPTS, windows, kept, strict=True)]
    assert list(rows.lengths) == [len(text) for text in texts]
    assert_rows_equal(rows, texts, [[30, 31]] * len(PROMPTS))


@pytest.mark.parametrize("keep", [[0, 2], [1], [3, 0, 2], [0, 1, 2, 3]])
def test_rows_kept_in_any_order_are_unchanged(keep):
    rows = TINY.batch(PROMPTS)
    rows.filter(keep)
    assert_rows_equal(rows, [PROMPTS[index] for index in keep], [[20, 21]] * len(keep))


def test_row_that_joins_after_others_left_starts_clean():
    rows = TINY.batch(PROMPTS)
    rows.filter([2, 3])
    rows.prepare_append([TINY.read([5, 6, 7])]).commit()
    assert_rows_equal(rows, [PROMPTS[2], PROMPTS[3], [5, 6, 7]], [[20, 21]] * 3)


def test_row_that_joins_inherits_no_nan_of_the_row_before():
    rows = TINY.batch(PROMPTS[:2])
    rows.layers[0].adopt(tuple(mx.concatenate([array, array * mx.nan]) for array in rows.layers[0].arrays()))
    rows.prepare_append([TINY.read([5, 6, 7])]).commit()
    assert_rows_equal(rows, [*PROMPTS[:2], [5, 6, 7]], [[20, 21]] * 3)


@pytest.mark.parametrize(("model_type", "scheme"), _KINDS)
def test_rows_that_take_the_place_of_a_broken_one_start_clean(model_type, scheme):
    tiny = Driven(tiny_model(model_type, head_dim=32), scheme)
    tiny.model.model.embed_tokens.weight[63] = mx.nan
    rows = tiny.batch([[3] * 20, *PROMPTS[:2], [63] * 40])
    tiny.forward(rows, [[4, 5], [4, 5], [63, 63], [4, 5]])
    rows.commit([2, 2, 0, 0])
    rows.filter([0, 1])
    rows.prepare_append([None]).commit()
    rows.prepare_append([tiny.read([6] * 45)]).commit()
    together = tiny.forward(rows, [[20, 21]] * 4)
    for row, text in enumerate(([3] * 20 + [4, 5], [*PROMPTS[0], 4, 5], [], [6] * 45)):
        assert mx.allclose(together[row], tiny.forward(tiny.batch([text]), [[20, 21]])[0], atol=1e-4), f"row {row}"


@pytest.mark.parametrize(("model_type", "scheme"), _KINDS)
def test_rounds_leave_nothing_to_the_garbage_collector(model_type, scheme):
    tiny = Driven(tiny_model(model_type, head_dim=32), scheme)
    rows = tiny.batch(PROMPTS)
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)  # what is found is kept in gc.garbage; other code's own cycles are not counted
    try:
        for kept in ([1, 2, 3, 0], [3, 3, 3, 3]):
            mx.eval(tiny.forward(rows, [[20, 21, 22]] * len(PROMPTS)))
            rows.commit(kept)
        rows.filter([1, 3])
        gc.collect()
        ours = [found for found in gc.garbage if type(found).__module__.startswith("engine.")]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    assert ours == []


def test_empty_row_joins_a_running_batch():
    rows = TINY.batch(PROMPTS[:2])
    rows.prepare_append([None]).commit()
    assert_rows_equal(rows, [*PROMPTS[:2], []], [[20, 21]] * 3)


def test_empty_row_can_move_before_it_is_written():
    rows = TINY.batch(PROMPTS[:2])
    rows.prepare_append([None]).commit()
    rows.filter([2, 1])
    assert all(mx.array_equal(array[0], mx.zeros_like(array[0])) for array in rows.layers[0].arrays())
    assert_rows_equal(rows, [[], PROMPTS[1]], [[20, 21]] * 2)


def test_prepared_row_that_is_never_committed_changes_nothing():
    rows = TINY.batch(PROMPTS[:3])
    rows.prepare_append([TINY.read([5] * 40)])
    assert list(rows.lengths) == [5, 2, 300]
    assert_rows_equal(rows, PROMPTS[:3], [[20, 21]] * 3)


def test_extracted_row_holds_its_own_tokens_and_no_more():
    rows = TINY.batch(PROMPTS)
    state, read_alone = rows.extract(1), TINY.read(PROMPTS[1])
    rows.filter([])
    for array, own in zip(state.grown, read_alone.grown, strict=True):
        assert array.shape[2] == state.num_tokens == 2
        assert mx.array_equal(array, own)


def test_extracted_row_does_not_change_when_the_batch_goes_on():
    rows = TINY.batch(PROMPTS)
    state = rows.extract(0)
    before = [mx.array(array) for array in state.grown]
    for _ in range(3):
        mx.eval(TINY.forward(rows, [[20, 21]] * len(PROMPTS)))
        rows.commit([2] * len(PROMPTS))
    assert all(mx.array_equal(array, kept) for array, kept in zip(state.grown, before, strict=True))


def test_memory_returns_when_the_last_row_leaves():
    mx.clear_cache()
    before = mx.get_active_memory()
    rows = TINY.batch(PROMPTS)
    assert mx.get_active_memory() > before
    rows.filter([])
    assert mx.get_active_memory() == before


@pytest.mark.parametrize(("model_type", "scheme"), _KINDS)
@pytest.mark.parametrize("keep", [0, 1])
def test_memory_of_a_batch_returns_when_a_short_row_is_all_that_is_left(model_type, scheme, keep):
    tiny = Driven(tiny_model(model_type, head_dim=32, sliding_window=1100), scheme)
    texts, long = [[3] * 20, [4] * 25], tiny.read([5] * 1150, 575)
    rows, alone = tiny.batch(texts), tiny.batch([texts[keep]])
    rows.prepare_append([long] * 6).commit()
    rows.filter([keep])
    left, needed = rows.num_bytes, alone.num_bytes
    assert left <= 1.5 * needed
    windows = [list(range(20, 37))]
    assert mx.allclose(tiny.forward(rows, windows), tiny.forward(alone, windows), atol=1e-4)


def test_join_into_spare_rows_copies_no_running_row():
    rows = TINY.batch([[11] * 3000, [12] * 3000, [13] * 3000])
    state = TINY.read([5, 6])
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    rows.prepare_append([state]).commit()
    assert mx.get_peak_memory() - before < 100_000
