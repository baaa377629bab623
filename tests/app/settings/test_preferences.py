"""Preferences come back as they were kept, and whatever makes no sense in their file alone is lost."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

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
