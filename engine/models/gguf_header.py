"""The header of a GGUF file: metadata and tensor table, read with every length checked against the file's size."""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from engine.models.errors import ModelError

# tensor types that MLX keeps as they are: name, weights in a block, bytes of a block
KEPT_TYPES = {0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 8: ("Q8_0", 32, 34)}
QUANTISED_BITS = {"Q4_0": 4, "Q4_1": 4, "Q8_0": 8}
_OTHER_TYPES = {
    6: "Q5_0", 7: "Q5_1", 9: "Q8_1", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 15: "Q8_K",
    16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS",
    24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 30: "BF16", 34: "TQ1_0", 35: "TQ2_0",
    39: "MXFP4",
}  # fmt: skip
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MAX_DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """One line of the tensor table; `shape` is outermost first, `offset` counts from the start of the data."""

    name: str
    shape: tuple[int, ...]
    type_id: int
    offset: int

    @property
    def type_name(self) -> str:
        """The type's usual name, such as Q4_1."""
        kept = KEPT_TYPES.get(self.type_id)
        return kept[0] if kept else _OTHER_TYPES.get(self.type_id, f"type {self.type_id}")


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """Everything of a GGUF file but its weights."""

    metadata: dict[str, Any]
    tensors: tuple[GgufTensor, ...]


def read_header(path: Path) -> GgufHeader:
    """Read and check a header; ModelError where the file is foreign, damaged or shorter than its header says."""
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise ModelError(f"{path.name} is not a GGUF file: it does not begin with 'GGUF'; download it again")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                return _Reader(data, path.name).header()
            except (struct.error, UnicodeDecodeError) as error:
                raise ModelError(f"the header of {path.name} is damaged ({error}); download the file again") from error


class _Reader:
    """A position in the bytes of one file."""

    def __init__(self, data: mmap.mmap, name: str) -> None:
        self._data = data
        self._name = name
        self._at = 4

    def header(self) -> GgufHeader:
        (version,) = self._take("<I")
        if version not in (2, 3):
            raise ModelError(f"{self._name} has GGUF version {version}; versions 2 and 3 can be read")
        num_tensors, num_entries = self._take("<QQ")
        metadata = dict(self._entry() for _ in range(num_entries))
        tensors = tuple(self._tensor() for _ in range(num_tensors))
        self._check_end(tensors, metadata.get("general.alignment", 32))
        return GgufHeader(metadata, tensors)

    def _take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return values

    def _string(self) -> str:
        (length,) = self._take("<Q")
        self._expect(length)
        self._at += length
        return self._data[self._at - length : self._at].decode("utf-8")

    def _entry(self) -> tuple[str, Any]:
        return self._string(), self._value(*self._take("<I"))

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            return self._array(*self._take("<IQ"))
        return self._take("<" + self._scalar(kind))[0]

    def _array(self, kind: int, length: int) -> list[Any]:
        if kind == _STRING:
            self._expect(8 * length)
            return [self._string() for _ in range(length)]
        layout = self._scalar(kind)
        self._expect(struct.calcsize("<" + layout) * length)
        return list(self._take(f"<{length}{layout}"))

    def _scalar(self, kind: int) -> str:
        if kind not in _SCALARS:
            raise ModelError(f"{self._name} holds a value of unknown type {kind}; download the file again")
        return _SCALARS[kind]

    def _tensor(self) -> GgufTensor:
        name = self._string()
        (num_dimensions,) = self._take("<I")
        if not 1 <= num_dimensions <= _MAX_DIMENSIONS:
            raise ModelError(f"tensor {name!r} of {self._name} has {num_dimensions} dimensions; download it again")
        shape = self._take(f"<{num_dimensions}Q")[::-1]
        type_id, offset = self._take("<IQ")
        return GgufTensor(name, shape, type_id, offset)

    def _expect(self, num_bytes: int) -> None:
        if self._at + num_bytes > len(self._data):
            self._refuse_short(self._at + num_bytes)

    def _check_end(self, tensors: tuple[GgufTensor, ...], alignment: Any) -> None:
        if not isinstance(alignment, int) or alignment < 1:
            raise ModelError(f"{self._name} gives {alignment!r} as its alignment; download the file again")
        start = -(-self._at // alignment) * alignment
        end = max((start + tensor.offset + _num_bytes(tensor) for tensor in tensors), default=start)
        if end > len(self._data):
            self._refuse_short(end)

    def _refuse_short(self, needed: int) -> None:
        raise ModelError(
            f"{self._name} is incomplete: it has {len(self._data):,} bytes and needs at least {needed:,}; "
            "download the file again"
        )


def _num_bytes(tensor: GgufTensor) -> int:
    if tensor.type_id not in KEPT_TYPES:
        return 0
    _, block_weights, block_bytes = KEPT_TYPES[tensor.type_id]
    return prod(tensor.shape) // block_weights * block_bytes
