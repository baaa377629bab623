"""What the system is told: replies that end unseen, and that it must not sleep while one runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.desktop.desktop import Desktop
from app.settings.preferences import General
from app.upkeep.wakefulness import DOWNLOADS, REPLIES, Wakefulness
from engine.messages import Failed, Finished
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine


class ToldDesktop(Desktop):
    """Keeps what it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, ...]] = []

    def notify(self, key: str, title: str, words: str) -> None:
        self.told.append(("notify", title, words))

    def hold(self, reason: str) -> None:
        self.told.append(("hold", reason))

    def release(self) -> None:
        self.told.append(("release",))


@pytest.fixture
def desktop() -> ToldDesktop:
    return ToldDesktop()


def notifications(desktop: ToldDesktop) -> list[tuple[str, ...]]:
    return [told[1:] for told in desktop.told if told[0] == "notify"]


def begin_reply_elsewhere(driver: Driver, fake_engine: FakeEngine) -> int:
    """Let a reply run in a tab that is not shown; returns its request."""
    fake_engine.ending = None
    driver.type("Why does ice float?")
    driver.wait_text("Hello there")
    driver.window.workspace.new_tab()
    return fake_engine.submits[-1].request_id


def test_a_reply_that_ends_in_another_tab_is_told_by_title_and_size(
    driver: Driver, desktop: ToldDesktop, fake_engine: FakeEngine
) -> None:
    request_id = begin_reply_elsewhere(driver, fake_engine)
    fake_engine.emit(Finished(request_id, "stop"))
    driver.wait(lambda: bool(notifications(desktop)))
    assert notifications(desktop) == [("Why does ice float?", "Reply finished, 2\u00a0tokens.")]
    chat = driver.window.workspace.tabs[0].session.conversation_id or ""
    desktop.activated.emit(chat)
    assert driver.tab.session.conversation_id == chat


def test_a_reply_in_view_one_that_is_stopped_and_a_preference_are_silent(
    driver: Driver, desktop: ToldDesktop, fake_engine: FakeEngine
) -> None:
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    driver.type("seen")
    driver.wait_idle()
    begin_reply_elsewhere(driver, fake_engine)
    driver.window.workspace.tabs[0].stop()
    driver.wait(lambda: not driver.window.workspace.busy_sessions)
    settings = driver.window.settings
    settings.change(replace(settings.preferences, general=General(notifies=False)))
    request_id = begin_reply_elsewhere(driver, fake_engine)
    fake_engine.emit(Finished(request_id, "stop"))
    driver.wait(lambda: not driver.window.workspace.busy_sessions)
    assert notifications(desktop) == []


def test_a_failed_reply_says_only_that(driver: Driver, desktop: ToldDesktop, fake_engine: FakeEngine) -> None:
    request_id = begin_reply_elsewhere(driver, fake_engine)
    fake_engine.emit(Failed(request_id, "request", "secret words"))
    driver.wait(lambda: bool(notifications(desktop)))
    assert notifications(desktop)[0][1] == "Reply failed."


def test_the_system_is_kept_awake_from_the_first_reply_to_the_last(
    driver: Driver, desktop: ToldDesktop, fake_engine: FakeEngine
) -> None:
    begin_reply_elsewhere(driver, fake_engine)
    driver.type("two")
    driver.wait_text("Hello there")
    for tab in driver.window.workspace.tabs:
        tab.stop()
    driver.wait(lambda: desktop.told[-1:] == [("release",)])
    assert desktop.told == [("hold", REPLIES), ("release",)]


def test_a_download_keeps_it_awake_beyond_the_reply(desktop: ToldDesktop) -> None:
    wakefulness = Wakefulness(desktop)
    wakefulness.set_needed(REPLIES, True)
    wakefulness.set_needed(DOWNLOADS, True)
    wakefulness.set_needed(REPLIES, False)
    assert desktop.told == [("hold", REPLIES)]
    wakefulness.set_needed(DOWNLOADS, False)
    assert desktop.told == [("hold", REPLIES), ("release",)]
