"""Presets are kept, changed, deleted and had back; a damaged file loses nothing silently."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.settings.presets import DEFAULT, DEFAULT_ID, Presets
from engine.messages import Sampling


@pytest.fixture
def presets(tmp_path: Path) -> Presets:
    return Presets(tmp_path)


def test_presets_are_there_after_a_restart(presets: Presets, tmp_path: Path) -> None:
    made = replace(presets.add("Editor"), system_prompt="Be brief. Ω", temperature=1.0, top_k=40, stops=("END",))
    presets.change(made)
    assert Presets(tmp_path).all == (DEFAULT, made)
    assert Presets(tmp_path).problem == ""


def test_a_field_that_is_not_chosen_is_as_the_model_says(presets: Presets) -> None:
    base = Sampling(temperature=0.6, top_p=0.95, seed=7, stops=("<end>",))
    assert DEFAULT.sampling(base) == base
    chosen = replace(DEFAULT, temperature=0.0, seed=0, max_tokens=9, stops=("END",))
    assert chosen.sampling(base) == replace(base, temperature=0.0, seed=0, max_tokens=9, stops=("END",))


def test_the_default_one_stays(presets: Presets) -> None:
    assert not presets.delete(DEFAULT_ID)
    assert presets.all == (DEFAULT,)
    assert presets.get("gone") == DEFAULT


def test_a_copy_has_a_name_of_its_own(presets: Presets) -> None:
    first = presets.add("Editor")
    copies = [presets.duplicate(first.id) for _ in range(2)]
    assert [one.name for one in copies] == ["Editor copy", "Editor copy 2"]
    assert len({one.id for one in presets.all}) == 4


def test_a_deleted_one_comes_back_to_its_place(presets: Presets, tmp_path: Path) -> None:
    ids = [presets.add(name).id for name in "abc"]
    before = presets.latest
    assert presets.delete(ids[1])
    assert len(presets.latest) == 2
    presets.undo_deletion()
    assert presets.latest == Presets(tmp_path).latest == before
    assert presets.undo_deletion() is None


def test_what_was_used_last_comes_first(presets: Presets, tmp_path: Path) -> None:
    ids = [presets.add(name).id for name in "abc"]
    for preset_id in (ids[2], DEFAULT_ID, ids[1], "gone"):
        presets.use(preset_id)
    assert [one.name for one in presets.latest] == ["b", "c", "a"]
    assert Presets(tmp_path).latest == presets.latest


def test_a_damaged_file_is_set_aside_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "presets.json").write_text('{"presets": [{"id": "a"')
    presets = Presets(tmp_path)
    caplog.clear()
    (aside,) = tmp_path.glob("presets.damaged-*.json")
    assert presets.all == (DEFAULT,)
    assert str(aside) in presets.problem
    presets.add()
    assert aside.read_text() == '{"presets": [{"id": "a"'


@pytest.mark.parametrize(
    "wrong", [{"id": "b", "name": "B", "temperature": "hot"}, {"name": "no id"}, 7, {"id": "a", "name": "again"}]
)
def test_what_makes_sense_of_a_damaged_file_is_kept(
    tmp_path: Path, wrong: object, caplog: pytest.LogCaptureFixture
) -> None:
    found = {"presets": [{"id": "a", "name": "A", "temperature": 1, "later": True}, wrong]}
    (tmp_path / "presets.json").write_text(json.dumps(found))
    presets = Presets(tmp_path)
    caplog.clear()
    assert [(one.id, one.name, one.temperature) for one in presets.latest] == [("a", "A", 1.0)]
    assert "One of its presets could be read." in presets.problem
    assert Presets(tmp_path).problem == ""


def test_a_change_that_is_not_kept_is_told(presets: Presets, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    told: list[str] = []
    presets.trouble.connect(told.append)
    (tmp_path / "presets.new").mkdir()
    presets.add()
    caplog.clear()
    assert len(told) == 1
