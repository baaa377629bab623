"""What is made of the paths that someone opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.opening.given import Given, look_at


@pytest.fixture
def make_model(tmp_path: Path):
    def make(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        for file in ("config.json", "model.safetensors"):
            (folder / file).write_text("{}")
        return folder

    return make


def test_a_model_folder_is_the_model_to_use(make_model) -> None:
    folder = make_model("a model")
    assert look_at([str(folder)]) == Given(model=str(folder))


def test_a_folder_around_one_model_stands_for_it(make_model) -> None:
    folder = make_model("organisation/model")
    assert look_at([str(folder.parent)]).model == str(folder)


def test_a_gguf_file_is_a_model_whatever_the_case_of_its_ending(tmp_path: Path) -> None:
    (tmp_path / "Tiny.GGUF").write_bytes(b"GGUF")
    assert look_at([str(tmp_path / "Tiny.GGUF")]) == Given(model=str(tmp_path / "Tiny.GGUF"))


@pytest.mark.parametrize("name", ["Ice.slipstream-chat", "chats.json", "export.ZIP"])
def test_exported_chats_are_to_be_imported(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("")
    assert look_at([str(tmp_path / name)]) == Given(chats=(tmp_path / name,))


def test_anything_else_is_said_with_what_can_be_opened(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    found = look_at([str(tmp_path / "notes.txt"), str(tmp_path / "missing.json")])
    assert (found.model, found.chats) == ("", ())
    assert found.troubles[0].startswith("notes.txt is neither a model nor an exported chat. Open a folder")
    assert found.troubles[1].endswith("missing.json is not there.")


def test_a_folder_without_a_model_or_with_several_is_said(tmp_path: Path, make_model) -> None:
    (tmp_path / "empty").mkdir()
    make_model("shelf/one")
    make_model("shelf/two")
    empty, shelf = look_at([str(tmp_path / "empty"), str(tmp_path / "shelf")]).troubles
    assert "No model was found" in empty
    assert "holds 2 models" in shelf


def test_the_first_of_several_models_is_used(make_model) -> None:
    first, second = make_model("one"), make_model("two")
    found = look_at([str(first), str(second)])
    assert found.model == str(first)
    assert found.troubles == ("two was left: chats go on with one model at a time.",)
