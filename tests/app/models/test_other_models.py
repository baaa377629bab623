"""A model beside the one that answers leaves the memory again."""

from __future__ import annotations

from app.settings.drafters.measuring import Job
from engine.messages import ModelLoaded, UnloadModel
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine, facts_of


def test_one_that_was_measured_leaves_when_that_has_ended(driver: Driver, fake_engine: FakeEngine, target: str) -> None:
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


def test_one_that_a_late_message_brings_back_leaves_when_its_reply_has_ended(
    driver: Driver, fake_engine: FakeEngine, target: str
) -> None:
    driver.wait(lambda: driver.window.chooser.is_loaded)
    driver.window.chooser.choose("/models/other")
    driver.wait(lambda: driver.window.chooser.is_loaded)
    fake_engine.commands.clear()
    fake_engine.emit(ModelLoaded(0, facts_of(target)))
    driver.wait(lambda: UnloadModel(target) in fake_engine.commands)
    fake_engine.emit(ModelLoaded(0, facts_of("/models/other")))
    driver.run(settle())
    assert UnloadModel("/models/other") not in fake_engine.commands
