"""Which folder or file a target stands for."""

from __future__ import annotations

import pytest

from engine.models.errors import ModelError
from engine.models.locate import CARRIED_STARTER, GgufFile, default_data_dir, find_starter, model_name, resolve_target
from tests.engine.models.cache_entry import write_cache_entry


def test_the_starter_that_the_application_carries_comes_first_and_has_the_name_of_its_file(tmp_path):
    carried = tmp_path / CARRIED_STARTER
    carried.mkdir(parents=True)
    (carried / "config.json").write_text("{}")
    assert find_starter(tmp_path) == carried
    assert model_name(carried) == "SmolLM2-135M-Instruct.Q4_1"


def test_starter_is_found_without_importing_its_package():
    assert find_starter().name == "SmolLM2-135M-Instruct.Q4_1.gguf"


def test_data_folder_follows_the_environment(data_dir):
    assert default_data_dir() == data_dir


def test_model_folder_is_itself(folder, data_dir):
    assert resolve_target(str(folder), data_dir) == folder


def test_gguf_file_needs_an_import(tmp_path, data_dir):
    path = tmp_path / "m.gguf"
    path.touch()
    assert resolve_target(str(path), data_dir) == GgufFile(path)


def test_cache_entry_is_the_snapshot_that_main_names(folder, tmp_path, data_dir):
    entry = write_cache_entry(folder, tmp_path / "hub")
    (entry / "snapshots" / "zzz").mkdir()
    assert resolve_target(str(entry), data_dir) == entry / "snapshots" / "abc"
    assert model_name(entry / "snapshots" / "abc") == "org/tiny"


@pytest.mark.parametrize("target", ["org/tiny", "models--org--tiny"])
def test_cache_entry_is_found_by_name(folder, tmp_path, data_dir, monkeypatch, target):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    entry = write_cache_entry(folder, tmp_path / "hub")
    assert resolve_target(target, data_dir) == entry / "snapshots" / "abc"


@pytest.mark.parametrize("target", ["nothing/here", "/nowhere/at/all", "a\nb", "../../gone", "~nobody-here/x"])
def test_target_that_is_not_there_is_refused(target, data_dir):
    with pytest.raises(ModelError, match="nothing found at"):
        resolve_target(target, data_dir)


@pytest.mark.parametrize("target", ["a\0b", "x" * 5000])
def test_target_that_can_be_no_path_is_refused(target, data_dir):
    with pytest.raises(ModelError, match=r"nothing found at|cannot be read"):
        resolve_target(target, data_dir)


def test_other_file_is_refused(folder, data_dir):
    with pytest.raises(ModelError, match="give the folder"):
        resolve_target(str(folder / "config.json"), data_dir)


def test_cache_entry_without_snapshot_is_refused(tmp_path, data_dir):
    (tmp_path / "models--a--b" / "snapshots").mkdir(parents=True)
    with pytest.raises(ModelError, match="holds no snapshot"):
        resolve_target(str(tmp_path / "models--a--b"), data_dir)
