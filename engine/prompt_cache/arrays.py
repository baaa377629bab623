"""What a page or checkpoint holds, as MLX arrays and as bytes for the storage; the cache's only use of MLX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import mlx.core as mx
import numpy as np

from engine.prompt_cache.entries import Tensor
from engine.prompt_cache.requests import StreamState

Arrays = tuple[mx.array | None, ...]

GROWN, FIXED = "grown", "fixed"
TOKEN_AXIS = 2
_NAMES = {
    mx.bfloat16: "BF16",
    mx.float16: "F16",
    mx.float32: "F32",
    mx.uint32: "U32",
    mx.uint16: "U16",
    mx.uint8: "U8",
    mx.int32: "I32",
    mx.int64: "I64",
    mx.bool_: "BOOL",
}
_NUMPY_TYPES = {
    "BF16": np.uint16,
    "F16": np.float16,
    "F32": np.float32,
    "U32": np.uint32,
    "U16": np.uint16,
    "U8": np.uint8,
    "I32": np.int32,
    "I64": np.int64,
    "BOOL": np.bool_,
}
_NOTHING = Tensor("U8", (0,), memoryview(b""))  # stands for a None, so that the count of arrays survives


def cut_pages(state: StreamState, spans: Sequence[tuple[int, int]]) -> list[Arrays]:
    """Grown arrays of tokens [begin, end) for each span, positions absolute: evaluated, compact, sharing no buffer."""
    pages: list[Arrays] = [
        tuple(mx.contiguous(array[:, :, begin - state.start : end - state.start]) for array in state.grown)
        for begin, end in spans
    ]
    mx.eval(pages)
    return pages


def checkpoint_arrays(state: StreamState) -> Arrays:
    """The fixed arrays, evaluated and compact."""
    arrays = other_handles(state.fixed)
    mx.eval(_present(arrays))
    return arrays


def other_handles(arrays: Arrays) -> Arrays:
    """The same values under handles of their own, so that a write into one leaves the other; lazy."""
    return tuple(None if array is None else mx.contiguous(array) for array in arrays)


def num_bytes(arrays: Arrays) -> int:
    return sum(array.nbytes for array in _present(arrays))


def join_pages(pages: Sequence[Arrays], num_tokens: int) -> tuple[mx.array, ...]:
    """One array each of consecutive pages, cut to `num_tokens` columns; lazy."""
    columns = [_present(parts) for parts in zip(*pages, strict=True)]
    return tuple(mx.contiguous(mx.concatenate(parts, axis=TOKEN_AXIS)[:, :, :num_tokens]) for parts in columns)


def to_tensors(kind: str, arrays: Arrays) -> dict[str, Tensor]:
    """Views of evaluated arrays, by name; each keeps its array alive. For the thread that owns MLX."""
    bits = [array.view(mx.uint16) if array is not None and array.dtype == mx.bfloat16 else array for array in arrays]
    mx.eval(_present(bits))
    return {
        f"{kind}.{index}": _NOTHING if array is None or view is None else _tensor(array, view)
        for index, (array, view) in enumerate(zip(arrays, bits, strict=True))
    }


def from_tensors(tensors: Mapping[str, Tensor]) -> Arrays:
    """Evaluated arrays of their own, in the order of the numbers in their names."""
    names = sorted(tensors, key=lambda name: int(name.rpartition(".")[2]))
    arrays = tuple(_array(tensors[name]) for name in names)
    mx.eval(_present(arrays))
    return arrays


def _present(arrays: Iterable[mx.array | None]) -> list[mx.array]:
    return [array for array in arrays if array is not None]


def _tensor(array: mx.array, view: mx.array) -> Tensor:
    data = memoryview(view)  # type: ignore[arg-type]  # nanobind's stub does not tell of the buffer
    assert data.c_contiguous, "a kept array must be compact"
    return Tensor(_NAMES[array.dtype], tuple(array.shape), data.cast("B") if array.size else _NOTHING.data)


def _array(tensor: Tensor) -> mx.array | None:
    if tensor.dtype == _NOTHING.dtype and tensor.shape == _NOTHING.shape:
        return None
    values: np.ndarray = np.frombuffer(tensor.data, dtype=_NUMPY_TYPES[tensor.dtype]).reshape(tensor.shape)
    array = mx.array(values)
    return array.view(mx.bfloat16) if tensor.dtype == "BF16" else array
