"""Quitting while replies run."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QPushButton

from app.dialogs.quit_sheet import QuitSheet, question_of
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine


def press_on_sheet(driver: Driver, words: str) -> None:
    sheet = driver.window.findChild(QuitSheet)
    assert sheet is not None
    next(button for button in sheet.findChildren(QPushButton) if button.text() == words).click()


def test_a_window_whose_reply_runs_asks_and_stays_or_goes(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.window.close()
    press_on_sheet(driver, "Stay")
    assert driver.window.isVisible()
    driver.wait(lambda: driver.window.findChild(QuitSheet) is None)
    driver.window.close()
    with driver.qtbot.waitSignal(driver.window.closed):
        press_on_sheet(driver, "Quit")
    assert not driver.window.isVisible()


def test_who_quits_twice_is_not_asked_again(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    with driver.qtbot.waitSignal(driver.window.closed):
        driver.window.close()
        driver.window.close()
    assert not driver.window.isVisible()


def test_a_window_in_which_nothing_runs_closes_at_once(driver: Driver) -> None:
    driver.window.close()
    assert not driver.window.isVisible()


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "One reply is running. What it has written is saved and can be continued."),
        (2, "Two replies are running. What they have written is saved and can be continued."),
        (12, "12 replies are running. What they have written is saved and can be continued."),
    ],
)
def test_the_question_counts_the_replies(count: int, words: str) -> None:
    assert " ".join(question_of(count)) == words
