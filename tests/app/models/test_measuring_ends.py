"""What is measured ends where its model is let go: it is not loaded once more for that."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.models.measuring_ends import CHOSEN, EJECTED, STOPPED
from app.parts.settings import DRAFTERS
from app.settings.drafters.measuring import Job
from app.settings.drafters.page import DraftersPage
from engine.messages import Cancel, Failed, Submit
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine


def trials(fake_engine: FakeEngine) -> list[Submit]:
    return [one for one in fake_engine.submits if one.is_trial]


@pytest.mark.parametrize(
    ("let_go", "sentence"),
    [
        (lambda driver, engine: driver.window.chooser.choose("/models/other"), CHOSEN),
        (lambda driver, engine: driver.window.chooser.eject(), EJECTED),
        (lambda driver, engine: engine.emit(Failed(0, "engine", "The engine failed.")), STOPPED),
    ],
)
def test_it_ends_with_a_sentence_on_the_page_and_loads_nothing(
    driver: Driver, fake_engine: FakeEngine, target: str, let_go: Callable[..., None], sentence: str
) -> None:
    driver.wait(lambda: driver.window.chooser.is_loaded)
    fake_engine.ending = None
    measuring = driver.window.drafters.picker.measuring
    measuring.measure([Job(target, "ngram"), Job(target, "suffix")])
    driver.wait(lambda: bool(trials(fake_engine)))
    let_go(driver, fake_engine)
    driver.wait(lambda: not measuring.is_any)
    (trial,) = trials(fake_engine)
    assert Cancel(trial.request_id) in fake_engine.commands
    driver.window.drafters.show_drafters(target)
    page = driver.window.settings_pages.window.made_page(DRAFTERS)
    assert isinstance(page, DraftersPage)
    driver.wait(lambda: page.problem.text() == sentence and page.problem.isVisible())
    driver.window.settings_pages.close()
    driver.run(settle())


def test_a_choice_that_is_refused_ends_nothing(driver: Driver, fake_engine: FakeEngine, target: str) -> None:
    driver.wait(lambda: driver.window.chooser.is_loaded)
    fake_engine.ending = None
    measuring = driver.window.drafters.picker.measuring
    measuring.measure([Job(target, "ngram")])
    driver.wait(lambda: bool(trials(fake_engine)))
    fake_engine.unreadable["/models/damaged"] = "its config is damaged"
    driver.window.chooser.choose("/models/damaged")
    driver.wait(lambda: driver.window.chooser.target == target)
    driver.run(settle())
    assert measuring.progress_of(target, "ngram") is not None
    assert target not in measuring.ended
    measuring.stop()
    driver.wait(lambda: not measuring.is_any)


def test_what_is_measured_of_the_model_that_is_chosen_goes_on(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.wait(lambda: driver.window.chooser.is_loaded)
    fake_engine.ending = None
    measuring = driver.window.drafters.picker.measuring
    measuring.measure([Job("/models/other", "ngram")])
    driver.wait(lambda: bool(trials(fake_engine)))
    driver.window.chooser.choose("/models/other")
    driver.run(settle())
    assert measuring.progress_of("/models/other", "ngram") is not None
    measuring.stop()
    driver.wait(lambda: not measuring.is_any)
