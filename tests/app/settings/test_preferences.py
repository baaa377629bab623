"""Preferences come back as they were kept, and whatever makes no sense in their file alone is lost."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.settings.preferences import General, LibraryChoice, ModelChoice, Preferences, Settings


def test_what_was_changed_is_there_after_a_restart(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    chosen = replace(settings.preferences, library=LibraryChoice(("/модели",)), keys={"new": ("Ctrl+J",)})
    settings.change(chosen)
    settings.change_model("/m", ModelChoice(context_length=4096, drafter="suffix"))
    kept = Settings(tmp_path).preferences
    assert kept == replace(chosen, models={"/m": ModelChoice(context_length=4096, drafter="suffix")})


def test_a_change_tells_what_was_and_what_is(tmp_path: Path) -> None:
    settings, told = Settings(tmp_path), []
    settings.changed.connect(lambda before, after: told.append((before.general, after.general)))
    quiet = General(notifies=False)
    settings.change(replace(settings.preferences, general=quiet))
    settings.change(settings.preferences)
    assert told == [(General(), quiet)]


def test_a_value_of_another_type_costs_that_value_alone(tmp_path: Path) -> None:
    found = {"target": "/m", "general": {"notifies": "yes", "unload_minutes": 5}, "looks": 3, "keys": {"new": ["F2"]}}
    (tmp_path / "settings.json").write_text(json.dumps(found))
    kept = Settings(tmp_path).preferences
    assert kept == Preferences(target="/m", general=General(unload_minutes=5), keys={"new": ("F2",)})


@pytest.mark.parametrize(
    "found",
    [
        {"looks": {"scheme": "sepia", "text_size": 10**9, "column_width": -3}},
        {"general": {"unload_minutes": -1}, "statistics": {"keep_days": 10**30, "live_seconds": 0}},
        {"cache": {"budget_bytes": 10**30}},
        {"library": {"folders": "/models"}, "keys": {"new": 7}, "drafter_folders": [7, None]},
    ],
)
def test_a_value_that_cannot_be_is_the_usual_one(tmp_path: Path, found: object) -> None:
    (tmp_path / "settings.json").write_text(json.dumps(found))
    assert Settings(tmp_path).preferences == Preferences()


def test_what_makes_no_sense_of_many_costs_no_other(tmp_path: Path) -> None:
    models = {"/m": {"template": "{{ mine }}", "kv_bits": 3}, "/n": 7}
    found = {"models": models, "keys": {"new": ["F2"], "open": 7}, "library": {"folders": ["/a", 7, "/b"]}}
    (tmp_path / "settings.json").write_text(json.dumps(found))
    kept = Settings(tmp_path).preferences
    assert kept.model("/m") == ModelChoice(template="{{ mine }}")
    assert (kept.keys, kept.library.folders) == ({"new": ("F2",)}, ("/a", "/b"))


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "[]", "\0\0", '{"target": "\\ud800'])
def test_a_damaged_file_is_set_aside_and_told(tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "settings.json").write_text(text)
    settings = Settings(tmp_path)
    settings.change(Preferences(target="/m"))
    (kept,) = tmp_path.glob("settings.damaged-*.json")
    assert kept.read_text() == text
    assert settings.problem.startswith(f"The settings' file was damaged and set aside as {kept}.")
    caplog.clear()


def test_a_change_that_is_not_kept_is_told(qtbot: QtBot, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings(tmp_path)
    (tmp_path / "settings.new").mkdir()
    with qtbot.waitSignal(settings.trouble, timeout=1000) as told:
        settings.change(Preferences(target="/m"))
    assert told.args[0].startswith("The settings could not be saved.")
    caplog.clear()
