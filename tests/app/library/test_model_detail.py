"""What can be done with a model that does not fit, and with one that leaves for another."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.bridge import EngineBridge
from app.library.fits import Fits
from app.library.found_model import FoundModel
from app.library.model_detail import ModelDetail
from app.models.chooser import ModelChooser
from app.settings.preferences import Settings
from app.tasks import finish
from app.theme.theme import Theme
from app.theme.tokens import LIGHT
from engine.messages import STARTER, LoadModel, MemoryEstimate, Progress, UnloadModel
from tests.app.driver import RunAsync
from tests.app.fake_engine import FakeEngine

OTHER = "/models/other"
Wait = Callable[[Callable[[], bool]], None]


def model_of(target: str) -> FoundModel:
    return FoundModel(target, "Big", "4-bit", "Folder added", "folder", target, 1000, context_length=8192)


@pytest.fixture
def chooser(bridge: EngineBridge, settings: Settings, wait: Wait) -> ModelChooser:
    """The starter answers in a reply."""
    chooser = ModelChooser(bridge, settings, asked=STARTER, num_running=lambda: 1, parent=settings)
    chooser.load()
    wait(lambda: chooser.is_loaded)
    return chooser


@pytest.fixture
def fits(bridge: EngineBridge, settings: Settings, run_async: RunAsync) -> Iterator[Fits]:
    fits = Fits(bridge, settings)
    yield fits
    fits.close()
    run_async(finish())


@pytest.fixture
def detail(qtbot: QtBot, settings: Settings, chooser: ModelChooser, fits: Fits) -> ModelDetail:
    theme = Theme()
    theme.apply(LIGHT)
    detail = ModelDetail(theme, settings, chooser, fits, lambda: 1, lambda repo_id: False)
    qtbot.addWidget(detail)
    detail.load_asked.connect(lambda model: chooser.choose(model.target))
    return detail


def test_a_model_that_cannot_fit_has_no_button_that_stands_out_and_says_why(
    detail: ModelDetail, fits: Fits, fake_engine: FakeEngine, wait: Wait
) -> None:
    model = model_of(OTHER)
    needed = MemoryEstimate(30_000_000_000, 0, 0, 0, limit_bytes=27_000_000_000)
    for estimate, kind in ((MemoryEstimate(0, 0, 0, 0, limit_bytes=1), "primary"), (needed, "plain")):
        fake_engine.estimate = estimate
        fits.renew()
        fits.follow([model])
        wait(lambda estimate=estimate: fits.of(model) is not None and fits.of(model).estimate == estimate)
        detail.show_model(model)
        assert (detail.load.property("kind"), detail.load.isEnabled()) == (kind, kind == "primary")
    assert (
        detail.load.toolTip() == detail.load.accessibleDescription() == "Needs 30.0\u00a0GB; 27.0\u00a0GB is allowed."
    )
    assert not detail.chat.isEnabled()


def test_a_model_that_leaves_for_another_can_be_kept(
    detail: ModelDetail, chooser: ModelChooser, fake_engine: FakeEngine, wait: Wait
) -> None:
    fake_engine.holds_loads = fake_engine.holds_unloads = True
    chooser.choose(OTHER)
    wait(lambda: fake_engine.loads[-1].target == OTHER)
    fake_engine.emit(Progress(fake_engine.loads[-1].request_id, "waiting", 0, 0))
    wait(lambda: chooser.is_waiting)
    detail.show_model(model_of(STARTER))
    assert (detail.load.text(), detail.load.isEnabled()) == ("Keep loaded", True)
    assert detail.wait.text() == "Loaded, until the reply ends."
    detail.load.click()
    assert chooser.target == STARTER
    assert isinstance(fake_engine.commands[-1], LoadModel)


def test_a_model_that_was_ejected_while_it_answers_can_be_kept(
    detail: ModelDetail, chooser: ModelChooser, fake_engine: FakeEngine
) -> None:
    fake_engine.holds_unloads = True
    chooser.eject()
    detail.show_model(model_of(STARTER))
    assert detail.load.text() == "Keep loaded"
    detail.load.click()
    assert [type(one) for one in fake_engine.commands[-2:]] == [UnloadModel, LoadModel]
