"""Messages that wait for a reply to end."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.chat.draft import Draft
from app.chat.notes import Action
from app.chat.queued import Queued
from app.tasks import failures, finish
from app.theme.theme import Theme
from engine.messages import Finished, TokenCount
from tests.app.driver import Driver, settle
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
    for text in left:
        assert queued.next_draft() == Draft(text)
        assert queued.take(Draft(text))
    assert not queued.take(Draft("one"))
    assert queued.isHidden()


def test_chips_beyond_the_third_are_counted(queued: Queued) -> None:
    assert [not chip.isHidden() for chip in queued.chips] == [True, True, True, False, False]
    (counted,) = queued.findChildren(QLabel)
    assert counted.text() == "and 2 more"
    queued.take(Draft("one"))
    assert counted.text() == "and 1 more"
    queued.take(Draft("two"))
    assert counted.isHidden()


@pytest.mark.parametrize("num_tokens", [8000, 9000])
def test_a_message_that_waits_is_counted_before_it_goes(
    driver: Driver, fake_engine: FakeEngine, num_tokens: int
) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    composer = driver.tab.composer
    fake_engine.count = lambda question: TokenCount(10, 8192)
    driver.type("z" * 8100)
    driver.wait(lambda: bool(composer.queued.chips))
    fake_engine.count = lambda question: TokenCount(num_tokens, 8192, num_left_out=2)
    fake_engine.emit(Finished(fake_engine.submits[0].request_id, "stop"))
    if num_tokens == 8000:
        driver.wait(lambda: len(fake_engine.submits) == 2)
        assert composer.unsent() == ()
        return
    driver.wait(lambda: "was not sent. The prompt has 9,000" in composer.note.text)
    assert composer.queued.chips[0].is_held
    assert "the context holds 8,192" in composer.queued.chips[0].toolTip()
    assert len(fake_engine.submits) == 1
    composer.note.button.click()
    assert driver.tab.session.num_left_out == 2


def test_what_waits_stays_while_nothing_can_be_sent(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.type("two")
    composer, reason = driver.tab.composer, "This chat is not saved: the disk is full."
    composer.set_refusal(reason)
    fake_engine.emit(Finished(fake_engine.submits[0].request_id, "stop"))
    driver.wait_idle()
    assert composer.unsent() == (Draft("two"),)
    assert composer.queued.chips[0].is_held
    assert composer.queued.chips[0].toolTip() == composer.note.text == reason


@pytest.mark.parametrize("action", [Action.AGAIN, Action.CONTINUE])
def test_no_reply_is_begun_while_nothing_can_be_sent(driver: Driver, fake_engine: FakeEngine, action: Action) -> None:
    fake_engine.ending = Finished(0, "length")
    driver.type("one")
    driver.wait_idle()
    driver.tab.composer.set_refusal("The disk is full.")
    driver.tab.actions_on_messages.act(action, driver.tab.session.messages[-1].id)
    assert driver.tab.composer.note.text == "The disk is full."
    driver.run(settle())
    assert len(fake_engine.submits) == 1


def test_what_is_counted_while_its_tab_closes_is_not_sent(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending, told = None, list[str]()
    driver.type("one")
    driver.wait_text("Hello there")
    fake_engine.count = lambda question: TokenCount(10, 8192)
    driver.type("z" * 8100)
    driver.wait(lambda: bool(driver.tab.composer.queued.chips))
    failures.happened.connect(told.append)
    session, workspace = driver.tab.session, driver.window.workspace
    session.busy_changed.connect(lambda is_busy: None if is_busy else workspace.close_tab(0))
    fake_engine.emit(Finished(fake_engine.submits[0].request_id, "stop"))
    driver.wait(lambda: driver.tab.session is not session)
    driver.run(finish())
    failures.happened.disconnect(told.append)
    assert (told, len(fake_engine.submits)) == ([], 1)
