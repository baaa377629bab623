"""A model that nobody uses leaves the memory after the minutes that were chosen."""

from __future__ import annotations

from dataclasses import replace

from app.models.idle_unload import IdleUnload
from app.settings.preferences import General
from engine.messages import UnloadModel
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def make_unload(driver: Driver, clock: Clock, minutes: int) -> IdleUnload:
    window = driver.window
    driver.wait(lambda: window.chooser.is_loaded)
    window.settings.change(replace(window.settings.preferences, general=General(unload_minutes=minutes)))
    bridge, running = window.chooser.bridge, window.models.running
    return IdleUnload(bridge, window.chooser, running, window.settings, clock=clock, parent=window)


def num_unloads(fake_engine: FakeEngine) -> int:
    return sum(isinstance(command, UnloadModel) for command in fake_engine.commands)


def test_a_model_leaves_when_its_minutes_are_over_and_the_next_message_loads_it(
    driver: Driver, fake_engine: FakeEngine
) -> None:
    clock = Clock()
    unload = make_unload(driver, clock, 30)
    clock.seconds = 30 * 60 - 1
    unload.look()
    assert num_unloads(fake_engine) == 0
    clock.seconds = 30 * 60
    unload.look()
    driver.wait(lambda: driver.window.sidebar.footer.words == ("Not loaded", "tiny"))
    driver.type("one")
    driver.wait_idle()
    driver.wait(lambda: driver.window.sidebar.footer.words == ("Ready", "tiny"))


def test_what_is_measured_counts_as_use(driver: Driver, fake_engine: FakeEngine) -> None:
    clock = Clock()
    unload = make_unload(driver, clock, 1)
    unload.is_measuring = lambda: True
    clock.seconds = 1000
    unload.look()
    unload.is_measuring = lambda: False
    unload.look()
    assert num_unloads(fake_engine) == 0


def test_a_reply_that_runs_and_a_zero_keep_it(driver: Driver, fake_engine: FakeEngine) -> None:
    clock = Clock()
    unload = make_unload(driver, clock, 1)
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    clock.seconds = 1000
    unload.look()
    driver.tab.stop()
    driver.wait_idle()
    unload.look()
    driver.window.settings.change(replace(driver.window.settings.preferences, general=General(unload_minutes=0)))
    clock.seconds = 1e6
    unload.look()
    assert num_unloads(fake_engine) == 0
