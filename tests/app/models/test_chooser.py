"""Which model chats go on with: choosing, loading, stopping and ejecting it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.bridge import EngineBridge
from app.models.chooser import ModelChooser
from app.models.state import State
from app.settings.preferences import Settings
from engine.messages import Failed, LoadModel, MemoryEstimate, Progress, UnloadModel
from tests.app.fake_engine import FakeEngine


@pytest.fixture
def settings(data_dir: Path, qtbot: QtBot) -> Settings:
    return Settings(data_dir)


@pytest.fixture
def chooser(bridge: EngineBridge, settings: Settings, qtbot: QtBot) -> ModelChooser:
    chooser = ModelChooser(bridge, settings, num_running=lambda: 2, parent=QObject(settings))
    chooser.load()
    qtbot.waitUntil(lambda: chooser.is_loaded)
    return chooser


def asked(fake_engine: FakeEngine) -> list[tuple[str, str]]:
    models = [one for one in fake_engine.commands if isinstance(one, LoadModel | UnloadModel)]
    return [(type(one).__name__, one.target) for one in models]


def load_id(fake_engine: FakeEngine) -> int:
    return [one.request_id for one in fake_engine.commands if isinstance(one, LoadModel)][-1]


def test_another_model_is_loaded_behind_the_leave_of_the_one_before(
    chooser: ModelChooser, fake_engine: FakeEngine, settings: Settings, qtbot: QtBot
) -> None:
    chooser.choose("/models/other")
    qtbot.waitUntil(lambda: len(asked(fake_engine)) == 3)
    assert asked(fake_engine)[-2:] == [("UnloadModel", "starter"), ("LoadModel", "/models/other")]
    qtbot.waitUntil(lambda: chooser.is_loaded)
    assert (chooser.name, chooser.quantisation) == ("other", "4-bit")
    assert settings.preferences.target == "/models/other"
    chooser.choose("/models/other")
    assert len(asked(fake_engine)) == 3


def test_a_load_that_waits_for_replies_says_so_and_then_how_far_it_is(
    chooser: ModelChooser, fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    fake_engine.holds_loads = True
    chooser.choose("/models/other")
    assert chooser.words == "Loading other"
    qtbot.waitUntil(lambda: len(asked(fake_engine)) == 3)
    fake_engine.emit(Progress(load_id(fake_engine), "waiting", 0, 0))
    qtbot.waitUntil(lambda: chooser.words == "Loads when the two replies end.")
    fake_engine.emit(Progress(load_id(fake_engine), "loading", 3_100_000_000, 4_600_000_000))
    qtbot.waitUntil(lambda: chooser.words == "Loading other, 3.1 of 4.6\u00a0GB")


def test_of_five_quick_choices_the_last_wins(chooser: ModelChooser, fake_engine: FakeEngine, qtbot: QtBot) -> None:
    fake_engine.holds_loads = True
    for name in "abab":
        chooser.choose(f"/models/{name}")
    fake_engine.holds_loads = False
    chooser.choose("/models/c")
    qtbot.waitUntil(lambda: chooser.is_loaded)
    assert chooser.name == "c"
    assert asked(fake_engine)[-1] == ("LoadModel", "/models/c")
    assert {target for kind, target in asked(fake_engine) if kind == "UnloadModel"} == {"starter"}


def test_a_stopped_load_waits_for_the_next_reply(chooser: ModelChooser, fake_engine: FakeEngine, qtbot: QtBot) -> None:
    fake_engine.holds_loads = True
    chooser.choose("/models/other")
    chooser.stop()
    qtbot.waitUntil(lambda: chooser.state is State.AWAY)
    assert chooser.words == chooser.error == ""
    fake_engine.holds_loads = False
    chooser.need()
    qtbot.waitUntil(lambda: chooser.is_loaded)
    assert chooser.target == "/models/other"


def test_a_model_that_cannot_be_loaded_gives_way_to_the_one_before(
    chooser: ModelChooser, fake_engine: FakeEngine, settings: Settings, qtbot: QtBot
) -> None:
    fake_engine.unloadable["/models/gone"] = "/models/gone is not there any more"
    with qtbot.waitSignal(chooser.gave_way) as told:
        chooser.choose("/models/gone")
    assert told.args == ["gone was not loaded: /models/gone is not there any more. SmolLM2 135M answers again."]
    qtbot.waitUntil(lambda: chooser.is_loaded)
    assert chooser.target == settings.preferences.target == "starter"


@pytest.mark.parametrize("needed", [0, 20_000_000_000])
def test_a_model_that_cannot_be_read_or_does_not_fit_leaves_the_one_before_in_memory(
    chooser: ModelChooser, fake_engine: FakeEngine, settings: Settings, qtbot: QtBot, needed: int
) -> None:
    fake_engine.estimate = MemoryEstimate(needed, 0, 0, 0, limit_bytes=10_000_000_000)
    if not needed:
        fake_engine.unreadable["/models/huge"] = "its config is damaged"
    with qtbot.waitSignal(chooser.gave_way) as told:
        chooser.choose("/models/huge")
    why = "it needs 20.0 GB of memory; 10.0 GB is allowed" if needed else "its config is damaged"
    sentence = f"huge was not loaded: {why}. SmolLM2 135M answers again."
    assert told.args[0].replace("\u00a0", " ") == sentence
    assert chooser.is_loaded
    assert chooser.target == settings.preferences.target == "starter"
    assert asked(fake_engine) == [("LoadModel", "starter")]


def test_a_choice_that_is_taken_back_at_once_unloads_nothing(chooser: ModelChooser, fake_engine: FakeEngine) -> None:
    chooser.choose("/models/other")
    chooser.choose("starter")
    assert chooser.is_loaded
    assert asked(fake_engine) == [("LoadModel", "starter")]


def test_going_back_to_a_model_of_this_run_alone_leaves_the_preference(
    bridge: EngineBridge, settings: Settings, fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    chooser = ModelChooser(bridge, settings, asked="/models/handed", parent=QObject(settings))
    chooser.load()
    qtbot.waitUntil(lambda: chooser.is_loaded)
    fake_engine.unloadable["/models/gone"] = "it is not there any more"
    with qtbot.waitSignal(chooser.gave_way):
        chooser.choose("/models/gone")
    qtbot.waitUntil(lambda: chooser.is_loaded)
    assert (chooser.target, settings.preferences.target) == ("/models/handed", "starter")


def test_keeping_the_present_model_brings_back_what_was_chosen_with_it(
    bridge: EngineBridge, settings: Settings, fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    parent = QObject(settings)
    chooser = ModelChooser(bridge, settings, asked="/models/handed", num_running=lambda: 1, parent=parent)
    chooser.load()
    qtbot.waitUntil(lambda: chooser.is_loaded)
    fake_engine.holds_unloads = fake_engine.holds_loads = True
    chooser.choose("/models/other")
    qtbot.waitUntil(lambda: len(fake_engine.loads) == 2)
    fake_engine.emit(Progress(load_id(fake_engine), "waiting", 0, 0))
    qtbot.waitUntil(lambda: chooser.can_keep_present)
    chooser.stop()
    assert (chooser.target, settings.preferences.target) == ("/models/handed", "starter")
    assert asked(fake_engine)[-2:] == [("UnloadModel", "/models/other"), ("LoadModel", "/models/handed")]


def test_without_one_before_the_failure_stays_until_another_is_chosen(
    bridge: EngineBridge, settings: Settings, fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    fake_engine.unloadable["/models/gone"] = "it is not there any more"
    chooser = ModelChooser(bridge, settings, asked="/models/gone", parent=QObject(settings))
    chooser.load()
    qtbot.waitUntil(lambda: chooser.error == "it is not there any more")
    assert settings.preferences.target == "starter"
    chooser.choose("starter")
    qtbot.waitUntil(lambda: chooser.is_loaded)
    assert chooser.error == ""


def test_an_ejected_model_comes_back_with_the_next_reply(
    chooser: ModelChooser, fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    chooser.eject()
    assert chooser.words == "Leaves when the two replies end."
    qtbot.waitUntil(lambda: chooser.state is State.AWAY)
    assert chooser.facts is not None
    chooser.need()
    qtbot.waitUntil(lambda: chooser.is_loaded)
    assert [kind for kind, _ in asked(fake_engine)] == ["LoadModel", "UnloadModel", "LoadModel"]


def test_a_model_that_is_handed_over_is_used_for_this_run_alone(
    chooser: ModelChooser, settings: Settings, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(chooser.target_changed):
        chooser.use("/models/handed")
    qtbot.waitUntil(lambda: chooser.is_loaded)
    assert (chooser.target, settings.preferences.target) == ("/models/handed", "starter")


def test_a_failed_engine_is_no_fault_of_the_model(chooser: ModelChooser, fake_engine: FakeEngine, qtbot: QtBot) -> None:
    fake_engine.emit(Failed(0, "engine", "The engine failed."))
    qtbot.waitUntil(lambda: chooser.state is State.AWAY)
    assert chooser.error == ""
