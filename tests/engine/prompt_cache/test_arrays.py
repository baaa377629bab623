"""Pages and checkpoints as arrays and as bytes."""

from __future__ import annotations

import gc

import mlx.core as mx
import pytest

from engine.prompt_cache.arrays import checkpoint_arrays, cut_pages, from_tensors, join_pages, to_tensors
from engine.prompt_cache.requests import StreamState

TYPES = [mx.bfloat16, mx.float16, mx.float32, mx.uint32, mx.uint8, mx.int32, mx.bool_]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_arrays_survive_being_bytes(dtype: mx.Dtype):
    array = mx.random.uniform(0, 200, (1, 2, 5, 3)).astype(dtype)
    mx.eval(array)
    tensors = to_tensors("grown", (array,))
    assert tensors["grown.0"].data.nbytes == array.nbytes
    (again,) = from_tensors(tensors)
    assert again.dtype == dtype
    assert mx.array_equal(again, array)


def test_missing_and_empty_arrays_survive_in_their_places():
    arrays = (None, mx.ones(2), mx.zeros((2, 0)), mx.array(3), None)
    again = from_tensors(to_tensors("fixed", arrays))
    assert [None if array is None else array.shape for array in again] == [None, (2,), (2, 0), (), None]


def test_more_than_ten_arrays_come_back_in_their_order():
    arrays = tuple(mx.array([number]) for number in range(12))
    assert [array.item() for array in from_tensors(to_tensors("grown", arrays))] == list(range(12))


def test_bytes_keep_their_array_alive_and_let_it_go():
    gc.collect()
    before = mx.get_active_memory()
    array = mx.ones((1000, 1000), dtype=mx.bfloat16)
    mx.eval(array)
    tensors = to_tensors("grown", (array,))
    del array
    assert bytes(tensors["grown.0"].data[:2]) == b"\x80\x3f"
    assert mx.get_active_memory() - before < 2_100_000
    del tensors
    assert mx.get_active_memory() == before


@pytest.mark.parametrize("num_heads", [1, 4])
def test_a_page_keeps_no_memory_of_the_row_that_it_was_cut_from(num_heads: int):
    gc.collect()
    mx.clear_cache()  # a buffer that was free already may be larger than what it is taken for
    before = mx.get_active_memory()
    whole = mx.random.normal((1, num_heads, 4096, 64))
    (page,) = cut_pages(StreamState(0, 4096, (whole,)), [(256, 512)])
    del whole
    assert mx.get_active_memory() - before < page[0].nbytes + 1000


def test_pages_of_a_part_are_cut_by_absolute_positions():
    array = mx.arange(100, 130).reshape(1, 1, 30, 1)
    pages = cut_pages(StreamState(100, 130, (array,)), [(110, 120), (120, 130)])
    (joined,) = join_pages(pages, 15)
    assert joined.flatten().tolist() == list(range(110, 125))


def test_a_checkpoint_is_compact():
    (array,) = checkpoint_arrays(StreamState(0, 1, (), (mx.ones((3, 4)).T,)))
    assert memoryview(array).c_contiguous
