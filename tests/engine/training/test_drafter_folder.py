"""A drafter's folder is written whole or not at all, and packed so that our loader reads it."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.models.drafting.files import Packing, read_files
from engine.training.drafter_folder import Packed, write_drafter

ARRAYS = {"fc.weight": mx.random.normal((8, 64)), "norm.weight": mx.ones((64,)), "d2t": mx.arange(8, dtype=mx.int64)}


def test_matrices_are_packed_and_nothing_else(tmp_path):
    write_drafter(tmp_path, {"kind": "test"}, ARRAYS, Packed(8))
    files = read_files(tmp_path)
    assert files.packing("fc") == Packing(64, 8)
    assert files.tensors["norm.weight"].dtype == "BF16"
    assert files.tensors["d2t"].dtype == "I64"


def test_matrix_whose_rows_make_no_whole_groups_stays_as_it_is(tmp_path):
    write_drafter(tmp_path, {}, {"fc.weight": mx.ones((8, 40))}, Packed(4))
    assert read_files(tmp_path).tensors["fc.weight"].dtype == "BF16"


def test_refused_write_leaves_the_drafter_that_was_there(tmp_path, monkeypatch):
    write_drafter(tmp_path, {}, ARRAYS)
    before = (tmp_path / "model.safetensors").read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mlx.core.save_safetensors", full)
    with pytest.raises(OSError, match="No space"):
        write_drafter(tmp_path, {}, {"fc.weight": mx.zeros((8, 64))})
    assert (tmp_path / "model.safetensors").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "model.safetensors"]
