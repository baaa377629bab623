"""Safetensors files: a checked header without reading weights, and writing arrays one by one."""

from __future__ import annotations

import json
import os
import reprlib
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from engine.models.errors import ModelError

_LFS_START = b"version "  # of the small text file that a clone without Git LFS has in the place of a large one
_MAX_HEADER_BYTES = 100_000_000  # the format's own limit
_METADATA = "__metadata__"  # texts beside the tensors; null where MLX wrote none
_BITS = {  # of an element, by all types that the format has
    **dict.fromkeys(("F64", "I64", "U64", "C64"), 64),
    **dict.fromkeys(("F32", "I32", "U32"), 32),
    **dict.fromkeys(("F16", "BF16", "I16", "U16"), 16),
    **dict.fromkeys(("BOOL", "I8", "U8", "F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "F8_E8M0"), 8),
    **dict.fromkeys(("F6_E2M3", "F6_E3M2"), 6),
    "F4": 4,
}


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """One entry of a header."""

    dtype: str  # "F16", "U32", …
    shape: tuple[int, ...]
    num_bytes: int

    @property
    def size(self) -> int:
        """How many elements it has."""
        return prod(self.shape)


def read_tensor_table(path: Path) -> dict[str, TensorInfo]:
    """Tensors of a file; ModelError where the file is empty, damaged or shorter than its header says.

    Nothing of a header is believed: each tensor's type must be one of the format, and its bytes those of its shape.
    """
    size = path.stat().st_size
    if size == 0:
        raise ModelError(f"{path.name} in {str(path.parent)!r} is empty; download it again")
    try:
        with path.open("rb") as file:
            start = file.read(8)
            if start == _LFS_START:
                raise _pointer(path)
            (length,) = struct.unpack("<Q", start)
            if length > min(_MAX_HEADER_BYTES, size - 8):
                raise _incomplete(path, size, 8 + length)
            header = json.loads(file.read(length))
        _check_metadata(header.pop(_METADATA, None))
        tensors = {name: _tensor_info(name, entry) for name, entry in header.items()}
        end = 8 + length + max((entry["data_offsets"][1] for entry in header.values()), default=0)
    except (struct.error, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise ModelError(
            f"{path.name} in {str(path.parent)!r} is not a safetensors file ({error}); download it again"
        ) from error
    if end != size:
        raise _incomplete(path, size, end)
    return tensors


def read_metadata(path: Path) -> dict[str, str]:
    """What a file whose table was read tells beside it: its "format" is "mlx" where MLX's own tools wrote it."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(length)).get(_METADATA) or {}


def _check_metadata(metadata: Any) -> None:
    if metadata is not None and not isinstance(metadata, dict):
        raise ValueError(f"{_METADATA} is {reprlib.repr(metadata)} and must be an object")


def _tensor_info(name: str, entry: dict[str, Any]) -> TensorInfo:
    """One entry of a header; raises ValueError, or what else comes of an entry that is none."""
    dtype, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in _BITS:
        raise ValueError(f"the tensor {name!r} holds {reprlib.repr(dtype)}, which is no type of the format")
    if not isinstance(shape, list) or not all(type(number) is int and number >= 0 for number in [*shape, begin, end]):
        found = f"the shape {reprlib.repr(shape)} at {reprlib.repr([begin, end])}"
        raise ValueError(f"the tensor {name!r} has {found}; whole numbers from 0 on are needed")
    if (end - begin) * 8 != prod(shape) * _BITS[dtype]:
        found = f"{reprlib.repr(end - begin)} bytes for the shape {reprlib.repr(shape)} of {dtype}"
        raise ValueError(f"the tensor {name!r} has {found}")
    return TensorInfo(dtype, tuple(shape), end - begin)


def _pointer(path: Path) -> ModelError:
    return ModelError(
        f"{path.name} in {str(path.parent)!r} is a Git LFS pointer and not the file itself; fetch it with "
        "`git lfs pull`, or download it again"
    )


def _incomplete(path: Path, size: int, needed: int) -> ModelError:
    return ModelError(
        f"{path.name} in {str(path.parent)!r} is incomplete or damaged: it has {size:,} bytes and its header "
        f"tells of {needed:,}; download it again"
    )


def write_arrays(path: Path, arrays: Mapping[str, Any], dtypes: Mapping[str, str]) -> Iterator[int]:
    """Write and sync a file, yielding the bytes written after each array; only one array is in memory at a time.

    `arrays` holds MLX or NumPy arrays, contiguous; `dtypes` each one's type in the format's words. Larger items come
    first, so that all are aligned.
    """
    names = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    header: dict[str, Any] = {"__metadata__": {"format": "mlx"}}
    end = 0
    for name in names:
        begin, end = end, end + arrays[name].nbytes
        header[name] = {"dtype": dtypes[name], "shape": list(arrays[name].shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in names:
            yield file.write(memoryview(arrays[name]))
        file.flush()
        os.fsync(file.fileno())
