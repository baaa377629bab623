"""Where models are looked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.library.places import Kind, Place, places


def test_the_usual_folders_are_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    found = places(["/mnt/models"], tmp_path / "data", tmp_path)
    assert [(place.folder, place.kind) for place in found] == [
        (tmp_path / "hub", Kind.HUB),
        (tmp_path / "data" / "models", Kind.IMPORTED),
        (tmp_path / ".lmstudio" / "models", Kind.LM_STUDIO),
        (tmp_path / ".cache" / "lm-studio" / "models", Kind.LM_STUDIO),
        (Path("/mnt/models"), Kind.ADDED),
    ]


def test_the_cache_moves_with_the_home_of_hugging_face(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    assert places([], tmp_path, tmp_path)[0].folder == tmp_path / "hf" / "hub"


def test_the_folder_that_lm_studio_was_told_is_looked_into(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".lmstudio-home-pointer").write_text(str(tmp_path / "studio"))
    (tmp_path / "studio").mkdir()
    (tmp_path / "studio" / "settings.json").write_text(json.dumps({"downloadsFolder": "/mnt/gguf"}))
    folders = [place.folder for place in places([], tmp_path, tmp_path) if place.kind is Kind.LM_STUDIO]
    assert folders[:2] == [Path("/mnt/gguf"), tmp_path / "studio" / "models"]


@pytest.mark.parametrize("text", ["", "[]", '{"downloadsFolder": 7}', '{"downloadsFolder": "a\\u0000b"}', "{" * 9000])
def test_settings_that_make_no_sense_are_left_alone(tmp_path: Path, text: str) -> None:
    (tmp_path / ".lmstudio").mkdir()
    (tmp_path / ".lmstudio" / "settings.json").write_text(text)
    folders = [place.folder for place in places([], tmp_path, tmp_path) if place.kind is Kind.LM_STUDIO]
    assert folders[0] == tmp_path / ".lmstudio" / "models"


def test_a_folder_is_named_by_its_kind_or_its_own_name() -> None:
    assert Place(Path("/x"), Kind.HUB).name == "Hugging Face cache"
    assert Place(Path("/mnt/модели"), Kind.ADDED).name == "Folder модели"


def test_a_home_that_nobody_has_ends_no_look(tmp_path: Path) -> None:
    found = places(["~nobody-of-this-name/models"], tmp_path / "data", tmp_path)
    assert found[-1].folder == Path("~nobody-of-this-name/models")
