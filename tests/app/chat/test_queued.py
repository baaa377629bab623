"""Messages that wait for a reply to end."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.chat.draft import Draft
from app.chat.queued import Queued
from app.theme.theme import Theme
from engine.messages import Finished
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine


@pytest.fixture
def queued(qtbot: QtBot) -> Queued:
    queued = Queued(Theme())
    qtbot.addWidget(queued)
    for text in ("one", "two", "three", "four", "five"):
        queued.add(Draft(text), queued)
    return queued


def test_two_messages_that_wait_are_sent_as_two(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    for text in ("one", "two", "three"):
        driver.type(text)
        driver.wait_text("Hello there")
    for num_sent in (1, 2):
        assert len(fake_engine.submits) == num_sent
        fake_engine.emit(Finished(fake_engine.submits[-1].request_id, "stop"))
        driver.wait(lambda num_sent=num_sent: len(fake_engine.submits) == num_sent + 1)
    asked = [message.text for message in driver.tab.session.messages if message.role == "user"]
    assert asked == ["one", "two", "three"]
    assert driver.tab.composer.unsent() == ()


def test_a_stop_holds_each_message_that_waits(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    for text in ("one", "two", "three"):
        driver.type(text)
        driver.wait_text("Hello there")
    driver.tab.stop()
    driver.wait_idle()
    assert driver.tab.composer.unsent() == (Draft("two"), Draft("three"))
    assert len(fake_engine.submits) == 1
    driver.qtbot.mouseClick(driver.tab.composer.queued.chips[1].send_button, Qt.MouseButton.LeftButton)
    driver.wait(lambda: len(fake_engine.submits) == 2)
    assert driver.tab.session.messages[2].text == "three"
    driver.qtbot.mouseClick(driver.tab.composer.queued.chips[0], Qt.MouseButton.LeftButton)
    assert driver.tab.composer.draft == Draft("two")


def test_one_message_is_taken_back_and_the_others_wait_on(queued: Queued, qtbot: QtBot) -> None:
    with qtbot.waitSignal(queued.taken_back) as taken:
        qtbot.mouseClick(queued.chips[1], Qt.MouseButton.LeftButton)
    assert taken.args == [Draft("two"), 1]
    left = ("one", "three", "four", "five")
    assert queued.drafts == tuple(map(Draft, left))
    assert [queued.take_next() for _ in range(5)] == [*map(Draft, left), None]
    assert queued.isHidden()


def test_chips_beyond_the_third_are_counted(queued: Queued) -> None:
    assert [not chip.isHidden() for chip in queued.chips] == [True, True, True, False, False]
    (counted,) = queued.findChildren(QLabel)
    assert counted.text() == "and 2 more"
    queued.take_next()
    assert counted.text() == "and 1 more"
    queued.take_next()
    assert counted.isHidden()
