"""What is said of models while one answers and another waits for its replies."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.bridge import EngineBridge
from app.library.holding import hold_of, state_of
from app.models.chooser import ModelChooser
from app.settings.preferences import Settings
from engine.messages import STARTER, ModelUnloaded, Progress
from tests.app.fake_engine import FakeEngine

OTHER = "/models/other"
Wait = Callable[[Callable[[], bool]], None]


@pytest.fixture
def chooser(bridge: EngineBridge, settings: Settings, fake_engine: FakeEngine, wait: Wait) -> ModelChooser:
    """The starter answers in two replies, for which another model waits."""
    chooser = ModelChooser(bridge, settings, asked=STARTER, num_running=lambda: 2, parent=settings)
    chooser.load()
    wait(lambda: chooser.is_loaded)
    fake_engine.holds_loads = fake_engine.holds_unloads = True
    chooser.choose(OTHER)
    wait(lambda: fake_engine.loads[-1].target == OTHER)
    request_id = fake_engine.loads[-1].request_id
    fake_engine.emit(Progress(request_id, "waiting", 0, 0))
    wait(lambda: chooser.is_waiting)
    return chooser


def test_the_model_that_answers_is_loaded_and_the_chosen_one_waits(chooser: ModelChooser) -> None:
    assert state_of(STARTER, chooser) == "Loaded, until the two replies end"
    assert state_of(OTHER, chooser) == "Loads when the two replies end"
    assert state_of("/models/third", chooser) == ""


def test_neither_is_deleted_meanwhile_each_for_its_own_reason(chooser: ModelChooser) -> None:
    assert hold_of(STARTER, chooser) == "It is loaded until the two replies end."
    assert hold_of(OTHER, chooser) == "It is being loaded. Stop the load first."
    assert hold_of("/models/third", chooser) == ""


def test_nothing_holds_the_model_that_has_left(chooser: ModelChooser, fake_engine: FakeEngine, wait: Wait) -> None:
    fake_engine.emit(ModelUnloaded(STARTER))
    wait(lambda: not state_of(STARTER, chooser))
    assert hold_of(STARTER, chooser) == ""
