"""A move of the data that came to nothing is told at the start, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.chat.notes import Action, NoteBar
from app.settings.folders import Pointer, read_pointer, write_pointer
from app.tasks import finish
from app.upkeep.unmoved import tell_unmoved
from tests.app.driver import Driver

SENTENCE = "The data was not moved to /disk: /disk is not there. It stays in /data."


@pytest.fixture
def bar(driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NoteBar:
    monkeypatch.delenv("SLIPSTREAM_DATA")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return driver.window.workspace.bar


@pytest.mark.parametrize("problem", [SENTENCE, ""])
def test_it_is_said_until_it_is_closed(driver: Driver, bar: NoteBar, problem: str) -> None:
    write_pointer(Pointer(problem=problem))
    driver.run(tell_unmoved(driver.window.notes))
    assert bar.isHidden() is not bool(problem)
    if problem:
        assert bar.text == SENTENCE
        bar.chosen.emit(Action.CLOSE)
        driver.run(finish())
    assert read_pointer() == Pointer()
    assert bar.isHidden()
