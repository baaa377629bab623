"""A header is checked before anything follows from it: types, shapes, places and the texts beside the tensors."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from engine.models.errors import ModelError
from engine.models.safetensors_file import TensorInfo, read_metadata, read_tensor_table

FIRST = {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}
SECOND = {"dtype": "F32", "shape": [], "data_offsets": [12, 16]}


def written(path: Path, header: Any) -> Path:
    """A file with this header and 16 bytes behind it."""
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(16))
    return path


def test_table_of_a_whole_file_is_read(tmp_path):
    path = written(tmp_path / "a.safetensors", {"__metadata__": {"format": "mlx"}, "a": FIRST, "b": SECOND})
    assert read_tensor_table(path) == {"a": TensorInfo("BF16", (2, 3), 12), "b": TensorInfo("F32", (), 4)}
    assert read_metadata(path) == {"format": "mlx"}
    assert read_metadata(written(path, {"__metadata__": None, "a": FIRST, "b": SECOND})) == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dtype": "XX"}, "'a' holds 'XX', which is no type"),
        ({"dtype": None}, "'a' holds None"),
        ({"dtype": ["BF16"]}, r"'a' holds \['BF16'\]"),
        ({"dtype": "U8"}, r"'a' has 12 bytes for the shape \[2, 3\] of U8"),
        ({"shape": [2, 6]}, r"12 bytes for the shape \[2, 6\] of BF16"),
        ({"shape": [-2, -3]}, r"the shape \[-2, -3\]"),
        ({"shape": [2.0, 3]}, r"the shape \[2\.0, 3\]"),
        ({"shape": [True, 6]}, "whole numbers from 0 on are needed"),
        ({"shape": [{"a": 1}]}, "whole numbers from 0 on are needed"),
        ({"shape": None}, "the shape None"),
        ({"shape": "ab"}, "the shape 'ab'"),
        ({"shape": [10**400]}, "12 bytes for the shape"),
        ({"data_offsets": [0, 6]}, "6 bytes for the shape"),
        ({"data_offsets": [12, 0]}, "-12 bytes for the shape"),
        ({"data_offsets": [-12, 0]}, r"at \[-12, 0\]"),
        ({"data_offsets": [0.0, 12.0]}, r"at \[0\.0, 12\.0\]"),
        ({"data_offsets": [0]}, "not a safetensors file"),
        ({"data_offsets": None}, "not a safetensors file"),
    ],
)
def test_entry_that_is_damaged_is_named(tmp_path, change, words):
    path = written(tmp_path / "a.safetensors", {"a": FIRST | change, "b": SECOND})
    with pytest.raises(ModelError, match=words):
        read_tensor_table(path)


@pytest.mark.parametrize("header", [[], None, "x", {"a": None}, {"a": [1]}, {"__metadata__": ["a"], "a": FIRST}])
def test_header_of_another_form_is_refused(tmp_path, header):
    with pytest.raises(ModelError, match=r"a\.safetensors .* is not a safetensors file"):
        read_tensor_table(written(tmp_path / "a.safetensors", header))
