"""Rings: past the wrap a row is what a fresh read of its text gives, whatever was rewound, joined or moved."""

from __future__ import annotations

import mlx.core as mx
import pytest
from mlx_lm.models.cache import KVCache, RotatingKVCache

from engine.kv.extent import Extent
from engine.kv.layout import open_layouts
from engine.kv.window import WIDEST_VERIFY, Window
from tests.engine.kv.driving import Driven, state_arrays
from tests.engine.tiny import tiny_model

WINDOW = 16
TINY = Driven(tiny_model("gemma3_text", sliding_window=WINDOW))
TEXTS = [[(start + 5 * index) % 64 for index in range(length)] for start, length in enumerate((10, 3, 16, 70))]


def assert_fresh(rows, texts):
    """Every row's state is that of its text, but for its last token, read anew."""
    for row, text in enumerate(texts):
        state, fresh = rows.extract(row), TINY.read(text[:-1])
        assert state.num_tokens == fresh.num_tokens == len(text) - 1
        for array, expected in zip(state_arrays(state), state_arrays(fresh), strict=True):
            assert array.shape == expected.shape
            assert mx.allclose(array, expected, atol=1e-4)


def running(texts=TEXTS):
    """A batch whose rows have all wrapped at different times, and its texts; each row's last token is pending."""
    texts = [list(text) for text in texts]
    rows = TINY.batch([text[:-1] for text in texts])
    for accepted in range(6):
        TINY.speculate(rows, texts, 6, [(accepted + row) % 7 for row in range(len(texts))])
    return rows, texts


@pytest.mark.parametrize("accepted", [0, 3, 6])
def test_o22_text_past_the_wrap_is_the_plain_one(accepted):
    texts = [TEXTS[0]]
    rows = TINY.batch([texts[0][:-1]])
    plain = TINY.greedy(texts[0], 60)
    texts = [list(texts[0])]
    while len(texts[0]) < 70:
        TINY.speculate(rows, texts, 6, [accepted])
        assert rows.layers[0].arrays()[0].shape[2] <= WINDOW + WIDEST_VERIFY - 1
    assert texts[0][10:70] == plain
    assert_fresh(rows, texts)


@pytest.mark.parametrize("length", [WINDOW - 1, WINDOW, WINDOW + WIDEST_VERIFY - 2, WINDOW + WIDEST_VERIFY - 1, 40])
def test_o23_rewind_right_after_the_wrap_leaves_what_a_fresh_read_gives(length):
    texts = [[(3 * index) % 64 for index in range(length)] for _ in range(2)]
    rows = TINY.batch([text[:-1] for text in texts])
    for accepted in ([0, 1], [2, 0], [0, 0]):
        TINY.speculate(rows, texts, WIDEST_VERIFY - 1, accepted)
        assert_fresh(rows, texts)


def test_wide_forward_of_many_rows_is_rewound_to_unequal_lengths():
    texts = [list(text) for text in TEXTS]
    rows = TINY.batch(texts)
    chunk = [(11 * index) % 64 for index in range(50)]
    kept = [50, 0, 49, 7]
    TINY.forward(rows, [chunk] * 4)
    rows.evaluate()
    rows.commit(kept)
    assert_fresh(rows, [[*text, *chunk[:count], 0] for text, count in zip(texts, kept, strict=True)])


@pytest.mark.parametrize("chunk_length", [1, 7, 17, 33, 200])
def test_chunks_of_any_length_read_the_same(chunk_length):
    text = [(5 * index) % 64 for index in range(150)]
    state, expected = TINY.read(text, chunk_length), TINY.read(text, 11)
    for array, other in zip(state_arrays(state), state_arrays(expected), strict=True):
        assert mx.allclose(array, other, atol=1e-4)


def test_wide_forward_that_is_never_committed_leaves_no_trace():
    rows, texts = running()
    TINY.forward(rows, [[1] * 40] * 4)
    TINY.speculate(rows, texts, 6, [1, 2, 3, 4])
    assert_fresh(rows, texts)


@pytest.mark.parametrize("keep", [[0, 2], [3], [3, 0, 2], [1, 0, 3, 2]])
def test_wrapped_rows_kept_in_any_order_go_on(keep):
    rows, texts = running()
    rows.filter(keep)
    texts = [texts[index] for index in keep]
    TINY.speculate(rows, texts, 6, [2] * len(keep))
    assert_fresh(rows, texts)


def test_wrapped_row_moves_to_another_batch():
    rows, texts = running()
    others, other_texts = running([TEXTS[1]])
    others.prepare_append([rows.extract(3), rows.extract(0)]).commit()
    moved = [*other_texts, texts[3], texts[0]]
    TINY.speculate(others, moved, 6, [0, 4, 6])
    assert_fresh(others, moved)


def test_row_moves_between_rings_of_different_capacity():
    def filled(capacity, length):
        extent = Extent()
        layer = Window(extent, 4)
        layer._capacity = layer._buffers._limit = capacity
        extent.lengths = [0]
        for position in range(length):
            extent.begin(1)
            layer.begin()
            layer.update_and_fetch(mx.full((1, 1, 1, 2), position), mx.full((1, 1, 1, 2), -position))
            layer.commit([1])
            extent.commit([1])
        return extent, layer

    _, source = filled(7, 23)
    extent, target = filled(11, 40)
    target.adopt(target.stage({1: source.extract(0)}))
    extent.lengths = [40, 23]
    keys, values, length = target.extract(1).fixed
    assert keys[0, 0, :, 0].tolist() == [19, 20, 21, 22]
    assert values[0, 0, :, 0].tolist() == [-19, -20, -21, -22]
    assert length.tolist() == [23]
    assert target.extract(0).fixed[0][0, 0, :, 0].tolist() == [36, 37, 38, 39]


def test_memory_does_not_grow_with_the_text():
    rows = TINY.batch([[1] * 40])
    before = sum(array.nbytes for array in rows.layers[0].arrays())
    TINY.forward(rows, [[1] * 300])
    rows.commit([300])
    rows.evaluate()
    assert sum(array.nbytes for array in rows.layers[0].arrays()) == before


def test_short_text_takes_less_than_a_whole_ring():
    layer = Driven(tiny_model("gemma3_text", sliding_window=4096)).batch([[1, 2, 3]]).layers[0]
    assert layer.arrays()[0].shape[2] == 256


def test_forgotten_tokens_forbid_a_shorter_prefix():
    assert TINY.open().shape.is_exact
    assert not Driven(tiny_model("llama")).open().shape.is_exact


def test_window_that_keeps_its_first_tokens_is_refused():
    with pytest.raises(AssertionError, match="keeps its first 4 tokens"):
        open_layouts([KVCache(), RotatingKVCache(16, keep=4)], Extent())


def test_rewind_over_several_forwards_past_the_wrap_leaves_what_a_fresh_read_gives():
    rows, texts = running()
    rows.mark()
    for token_id in range(40, 40 + WIDEST_VERIFY - 1):
        mx.eval(TINY.forward(rows, [[token_id]] * len(texts)))
        rows.commit([1] * len(texts))
    kept = [0, 3, 1, WIDEST_VERIFY - 1]
    rows.rewind(kept)
    texts = [[*text[:-1], *range(40, 40 + count), 1] for text, count in zip(texts, kept, strict=True)]
    assert_fresh(rows, texts)
    TINY.speculate(rows, texts, 6, [2, 0, 6, 1])
    assert_fresh(rows, texts)
