"""A model that was loaded only to measure its drafters leaves the memory again."""

from __future__ import annotations

from app.settings.drafters.measuring import Job
from engine.messages import UnloadModel
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine


def test_it_leaves_when_the_measuring_has_ended(driver: Driver, fake_engine: FakeEngine, target: str) -> None:
    window = driver.window
    driver.wait(lambda: window.chooser.is_loaded)
    fake_engine.ending = None
    measuring = window.drafters.picker.measuring
    measuring.measure([Job("/models/other", "ngram"), Job(target, "ngram")])
    driver.wait(lambda: window.chooser.has_in_memory("/models/other"))
    measuring.stop("/models/other")
    driver.wait(lambda: UnloadModel("/models/other") in fake_engine.commands)
    driver.wait(lambda: measuring.progress_of(target, "ngram") is not None)
    measuring.stop()
    driver.run(settle())
    assert UnloadModel(target) not in fake_engine.commands
    assert not window.chooser.has_in_memory("/models/other")
