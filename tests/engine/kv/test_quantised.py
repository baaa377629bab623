"""Quantised keys and values: one text for one scheme, however it is chunked, drafted, batched or moved."""

from __future__ import annotations

import mlx.core as mx
import pytest
from mlx_lm.models.cache import KVCache, make_prompt_cache

from engine.messages import UNQUANTISED, KvScheme
from tests.engine.kv.driving import Driven
from tests.engine.tiny import tiny_model

LLAMA = tiny_model("llama", head_dim=32)
GEMMA = tiny_model("gemma3_text", head_dim=32)
SCHEMES = [KvScheme(8, 32), KvScheme(4, 32), KvScheme(8, 32, start=30), KvScheme(4, 32, start=30)]
TEXTS = [[(start + 5 * index) % 64 for index in range(length)] for start, length in enumerate((4, 28, 45))]
NUM_TOKENS = 40


@pytest.fixture(params=SCHEMES, ids=str)
def scheme(request):
    return request.param


@pytest.fixture
def tiny(scheme):
    return Driven(LLAMA, scheme)


def greedy_of_mlx_lm(model, text, num_tokens, scheme):
    """Greedy text with mlx-lm's own caches, read one token at a time."""
    cache, ids = make_prompt_cache(model), list(text)
    for index in range(len(text) + num_tokens - 1):
        if index == scheme.start:
            cache = [
                layer.to_quantized(scheme.group_size, scheme.bits) if type(layer) is KVCache and index else layer
                for layer in cache
            ]
        logits = model(mx.array([[ids[index]]]), cache=cache)
        if index + 1 == len(ids):
            ids.append(mx.argmax(logits[0, -1]).item())
    return ids[len(text) :]


def batch(tiny, texts):
    return tiny.batch([text[:-1] for text in texts])


def assert_greedy(tiny, texts, starts):
    for text, start in zip(texts, starts, strict=True):
        assert text == [*start, *tiny.greedy(start, len(text) - len(start))]


@pytest.mark.parametrize("model", [LLAMA, GEMMA], ids=["llama", "gemma3_text"])
@pytest.mark.parametrize("bits", [4, 8])
def test_text_is_that_of_mlx_lm(model, bits):
    scheme = KvScheme(bits, 32, start=30)
    expected = greedy_of_mlx_lm(model, TEXTS[0], NUM_TOKENS, scheme)
    assert Driven(model, scheme).greedy(TEXTS[0], NUM_TOKENS) == expected
    assert Driven(model).greedy(TEXTS[0], NUM_TOKENS) == greedy_of_mlx_lm(
        model, TEXTS[0], NUM_TOKENS, KvScheme(start=-1)
    )


def test_quantised_text_differs_from_the_exact_one():
    assert Driven(LLAMA, KvScheme(4, 32)).greedy(TEXTS[0], NUM_TOKENS) != Driven(LLAMA).greedy(TEXTS[0], NUM_TOKENS)


@pytest.mark.parametrize("accepted", [[0, 0, 0], [3, 1, 2], [6, 6, 6]], ids=str)
def test_drafted_and_batched_equals_undrafted_and_alone(tiny, accepted):
    texts = [list(text) for text in TEXTS]
    rows = batch(tiny, texts)
    for _ in range(8):
        tiny.speculate(rows, texts, 6, accepted)
    assert_greedy(tiny, texts, TEXTS)


def test_rows_that_move_join_and_leave_are_unchanged(tiny):
    texts = [list(text) for text in TEXTS]
    rows = batch(tiny, texts)
    rows.filter([2, 0])
    texts = [texts[2], texts[0]]
    tiny.speculate(rows, texts, 6, [1, 2])
    others = batch(tiny, [[7] * 9])
    others.prepare_append([rows.extract(1), None, rows.extract(0)]).commit()
    moved = [[7] * 9, texts[1], [11], texts[0]]
    for accepted in ([6, 6, 6, 0], [2, 0, 1, 6], [6, 6, 6, 6], [6, 3, 6, 6]):
        tiny.speculate(others, moved, 6, accepted)
    assert_greedy(tiny, moved, [[7] * 9, TEXTS[0], [11], TEXTS[2]])


def test_chunks_of_any_length_read_the_same(tiny):
    text = TEXTS[2]
    windows = [[1, 2, 3]]
    expected = tiny.forward(batch(tiny, [text]), windows)
    for chunk_length in (1, 13, 100):
        rows = tiny.open()
        rows.prepare_append([tiny.read(text[:-1], chunk_length)]).commit()
        assert mx.allclose(tiny.forward(rows, windows), expected, atol=1e-3)


def test_exact_half_goes_once_no_row_needs_it():
    tiny = Driven(LLAMA, KvScheme(8, 32, start=30))
    rows = tiny.batch(TEXTS)
    layer = rows.layers[0]
    assert len(layer.arrays()) == 8
    assert layer.arrays()[0].shape[2] == 31
    rows.filter([2])
    assert len(layer.arrays()) == 6


def test_quantised_row_is_smaller():
    text = [1] * 256
    sizes = [
        sum(array.nbytes for array in Driven(LLAMA, scheme).batch([text]).layers[0].arrays())
        for scheme in (UNQUANTISED, KvScheme(8, 32), KvScheme(4, 32))
    ]
    assert sizes[0] > 2.5 * sizes[1]
    assert sizes[1] > 1.5 * sizes[2]


def test_window_layers_stay_exact():
    rows = Driven(GEMMA, KvScheme(8, 32)).batch([[1] * 40])
    assert [len(layer.arrays()) for layer in rows.layers] == [2, 6]


@pytest.mark.parametrize(("scheme", "expected"), [(KvScheme(8, 32, start=30), 30), (KvScheme(0, 32, start=30), 0)])
def test_prefix_that_was_exact_is_not_reused_from_a_quantised_row(scheme, expected):
    assert Driven(LLAMA, scheme).open().shape.minimum == expected


def test_rewind_over_several_forwards_that_reached_the_start_changes_no_text(tiny):
    texts = [list(TEXTS[1]), list(TEXTS[1])]
    rows = batch(tiny, texts)
    rows.mark()
    for token_id in range(50, 56):
        mx.eval(tiny.forward(rows, [[token_id]] * 2))
        rows.commit([1] * 2)
    rows.rewind([0, 0])
    while len(texts[0]) < 40:
        tiny.speculate(rows, texts, 3, [1, 3])
    assert_greedy(tiny, texts, [TEXTS[1]] * 2)
