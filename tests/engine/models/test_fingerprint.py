"""A model's fingerprint: the same for the same files, another after any change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.models.errors import ModelError
from engine.models.fingerprint import HEADER_BYTES, fingerprint
from tests.engine.tiny import tiny_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_folder(tmp_path / "tiny")


def test_same_files_have_the_same_fingerprint(folder):
    assert fingerprint(folder) == fingerprint(folder)


def test_other_weights_under_the_same_name_size_and_time_are_told_apart(folder, tmp_path):
    other = tiny_folder(tmp_path / "other", seed=5)
    path, changed = folder / "model.safetensors", other / "model.safetensors"
    before, status = fingerprint(folder), path.stat()
    assert changed.stat().st_size == status.st_size
    path.write_bytes(changed.read_bytes())
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert fingerprint(folder) != before


def test_edit_far_behind_the_header_is_seen_by_its_time_alone(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    path = tmp_path / "model.safetensors"
    path.write_bytes(bytes(HEADER_BYTES + 5_000_000))
    before = fingerprint(tmp_path)
    with path.open("r+b") as file:
        file.seek(HEADER_BYTES + 100)
        file.write(b"x")
    assert fingerprint(tmp_path) != before


def test_changed_config_changes_the_fingerprint(folder):
    before = fingerprint(folder)
    path = folder / "config.json"
    path.write_text(path.read_text().replace("10000.0", "500000.0"))
    assert fingerprint(folder) != before


def test_folder_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ModelError, match="cannot be read"):
        fingerprint(tmp_path / "nothing")
