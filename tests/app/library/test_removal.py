"""What deleting a model takes away, and what it leaves."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from app.library.found_model import FoundModel, begin
from app.library.holding import IS_LOADED
from app.library.places import Kind
from app.library.removal import RemovalError, plan_removal, refusal_of, remove
from engine.messages import STARTER
from tests.app.library.model_folders import found_in, make_cache_entry, make_model, model_in


def test_the_whole_entry_of_the_cache_goes_with_its_only_snapshot(cache: Path) -> None:
    entry = make_cache_entry(cache, "org--name")
    removal = plan_removal(model_in(cache, Kind.HUB))
    assert (removal.path, removal.freed_bytes, removal.goes_to_trash) == (entry, 1002, False)
    remove(removal)
    assert not entry.exists()


def test_entries_of_other_names_with_the_same_commit_stay(cache: Path) -> None:
    """As a repository that was renamed leaves them."""
    names = [f"org--name-{number}" for number in range(6)]
    entries = [make_cache_entry(cache, name, "abc") for name in names]
    remove(plan_removal(begin(found_in(cache, Kind.HUB)[3])))
    assert [entry.exists() for entry in entries] == [True, True, True, False, True, True]


def test_blobs_that_another_version_needs_stay(cache: Path) -> None:
    make_cache_entry(cache, "org--name", "old", is_main=False)
    entry = make_cache_entry(cache, "org--name", "new")
    removal = plan_removal(model_in(cache, Kind.HUB))
    assert "Another version of it stays." in removal.sentence
    remove(removal)
    assert sorted(path.name for path in (entry / "blobs").iterdir()) == ["c1", "w-old"]
    assert [path.name for path in (entry / "snapshots").iterdir()] == ["old"]


def test_other_quantisation_of_the_same_repository_stays(cache: Path) -> None:
    entry = cache / "models--org--name"
    snapshot = entry / "snapshots" / "abc"
    for folder in (snapshot, entry / "blobs", entry / "refs"):
        folder.mkdir(parents=True)
    for name, blob in (("One-Q4_0.gguf", "b4"), ("One-Q8_0.gguf", "b8"), ("README.md", "r")):
        (entry / "blobs" / blob).write_bytes(b"GGUF")
        (snapshot / name).symlink_to(Path("../../blobs") / blob)
    small, large = sorted(map(begin, found_in(cache, Kind.HUB)), key=lambda one: one.target)
    removal = plan_removal(small)
    assert (removal.path, removal.freed_bytes) == (snapshot / "One-Q4_0.gguf", 4)
    remove(removal)
    assert [one.target for one in found_in(cache, Kind.HUB)] == [large.target]
    assert sorted(path.name for path in (entry / "blobs").iterdir()) == ["b8", "r"]
    remove(plan_removal(large))
    assert not entry.exists()


def test_other_folders_go_to_the_trash(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "studio" / "one")
    removal = plan_removal(model_in(tmp_path, Kind.LM_STUDIO))
    asked: list[str] = []
    remove(removal, to_trash=lambda path: bool(asked.append(path)) or True)
    assert asked == [str(folder)]
    assert removal.sentence.startswith("It goes to the trash: 1")


def test_a_gguf_file_goes_alone_and_what_was_made_of_it_with_it(tmp_path: Path) -> None:
    file, imported = tmp_path / "files" / "Two.Q4_0.gguf", make_model(tmp_path / "imported" / "Two-1")
    file.parent.mkdir()
    file.write_bytes(b"GGUF")
    removal = plan_removal(replace(model_in(file.parent), imported=str(imported)))
    assert removal.path == file
    remove(removal, to_trash=lambda path: True)
    assert not imported.exists()


def test_no_trash_is_said(tmp_path: Path) -> None:
    make_model(tmp_path / "one")
    with pytest.raises(RemovalError, match="was not moved to the trash"):
        remove(plan_removal(model_in(tmp_path)), to_trash=lambda path: False)


def test_what_is_gone_already_is_said(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "one")
    model = model_in(tmp_path)
    shutil.rmtree(folder)
    with pytest.raises(RemovalError, match="is gone already"):
        plan_removal(model)


def test_what_was_imported_is_deleted(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "Two-1")
    removal = plan_removal(model_in(tmp_path, Kind.IMPORTED))
    assert not removal.goes_to_trash
    remove(removal)
    assert not folder.exists()


def test_a_model_in_use_is_not_deleted(tmp_path: Path) -> None:
    make_model(tmp_path / "one")
    model = model_in(tmp_path)
    starter = FoundModel(STARTER, "SmolLM2 135M", "", "", Kind.STARTER.value, "", 0)
    assert refusal_of(model, hold="", is_coming=False) == ""
    assert refusal_of(model, hold=IS_LOADED, is_coming=False) == IS_LOADED
    assert "Cancel the download first" in refusal_of(model, hold="", is_coming=True)
    assert "came with Slipstream" in refusal_of(starter, hold="", is_coming=False)
