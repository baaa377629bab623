"""Safetensors files: a checked header without reading weights, and writing arrays one by one."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from engine.models.errors import ModelError

_MAX_HEADER_BYTES = 100_000_000  # the format's own limit


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
    """Tensors of a file; ModelError where the file is empty, damaged or shorter than its header says."""
    size = path.stat().st_size
    if size == 0:
        raise ModelError(f"{path.name} in {str(path.parent)!r} is empty; download the model again")
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > min(_MAX_HEADER_BYTES, size - 8):
                raise _incomplete(path, size, 8 + length)
            header = json.loads(file.read(length))
        header.pop("__metadata__", None)  # null where MLX wrote none
        tensors = {name: _tensor_info(entry) for name, entry in header.items()}
        end = 8 + length + max((entry["data_offsets"][1] for entry in header.values()), default=0)
    except (struct.error, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise ModelError(
            f"{path.name} in {str(path.parent)!r} is not a safetensors file ({error}); download the model again"
        ) from error
    if end != size:
        raise _incomplete(path, size, end)
    return tensors


def read_metadata(path: Path) -> dict[str, str]:
    """What a file whose table was read tells beside it: its "format" is "mlx" where MLX's own tools wrote it."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(length)).get("__metadata__") or {}


def _tensor_info(entry: dict[str, Any]) -> TensorInfo:
    begin, end = entry["data_offsets"]
    return TensorInfo(str(entry["dtype"]), tuple(entry["shape"]), end - begin)


def _incomplete(path: Path, size: int, needed: int) -> ModelError:
    return ModelError(
        f"{path.name} in {str(path.parent)!r} is incomplete or damaged: it has {size:,} bytes and its header "
        f"tells of {needed:,}; download the model again"
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
