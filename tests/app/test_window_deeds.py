"""Keys and menus that act on the chat that is shown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from app.chat.find_bar import FindBar
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine, deltas_of


def bar_of(driver: Driver) -> FindBar:
    bar = driver.tab.findChild(FindBar)
    assert bar is not None
    return bar


def test_find_counts_hits_steps_through_them_and_closes_on_escape(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.script = deltas_of("ice and ICE and water")
    driver.type("What is ice?")
    driver.wait_idle()
    driver.window.actions_of_window.find.trigger()
    bar = bar_of(driver)
    driver.qtbot.keyClicks(bar.field, "ice")
    driver.wait(lambda: bar.count.text().endswith("of 3"))
    first = bar.count.text()
    driver.qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    driver.wait(lambda: bar.count.text() != first)
    driver.qtbot.keyClicks(bar.field, "berg")
    driver.wait(lambda: bar.count.text() == "No hits")
    driver.qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert driver.tab.composer.field.hasFocus()


def test_escape_closes_the_find_bar_before_it_stops_a_reply(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.window.actions_of_window.find.trigger()
    field = driver.tab.composer.field
    driver.qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not bar_of(driver).isVisible()
    assert driver.tab.session.is_busy
    driver.qtbot.keyClick(field, Qt.Key.Key_Escape)
    driver.wait(lambda: not driver.tab.session.is_busy)


def test_a_find_bar_stays_over_its_transcript(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.window.resize(480, 560)
    driver.window.actions_of_window.find.trigger()
    for width in (480, 1320):
        driver.window.resize(width, 560)
        assert driver.tab.transcript.geometry().contains(bar_of(driver).geometry())


def test_again_writes_a_second_reply_and_keys_go_between_them(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.type("one")
    driver.wait_idle()
    fake_engine.script = deltas_of("Another answer")
    driver.window.actions_of_window.again.trigger()
    driver.wait_text("Another answer")
    driver.wait(lambda: not driver.tab.session.is_busy)
    action_of(driver, "Previous branch").trigger()
    driver.wait_text("Hello there")
    action_of(driver, "Next branch").trigger()
    driver.wait_text("Another answer")


def action_of(driver: Driver, words: str) -> QAction:
    return next(action for action in driver.window.actions() if action.text() == words)


def test_the_last_message_comes_back_to_be_edited(driver: Driver) -> None:
    driver.type("Why does ice flaot?")
    driver.wait_idle()
    driver.window.actions_of_window.edit_last.trigger()
    assert driver.tab.composer.field.toPlainText() == "Why does ice flaot?"


def test_tint_is_one_choice_of_menu_inspector_and_every_chat(driver: Driver) -> None:
    window = driver.window
    window.actions_of_window.inspector.trigger()
    inspector = window.statistics.inspector
    assert inspector is not None
    inspector.tint.click()
    assert driver.tab.transcript.is_tinted
    assert window.actions_of_window.tint.isChecked()
    window.actions_of_window.tint.trigger()
    assert not inspector.tint.isChecked()
    assert not driver.tab.transcript.is_tinted


def test_a_chat_that_opens_later_is_tinted_too(driver: Driver, make_driver: Callable[[], Driver]) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.window.actions_of_window.tint.trigger()
    assert driver.window.workspace.new_tab().transcript.is_tinted


def test_keys_of_a_chat_do_nothing_on_another_page(driver: Driver) -> None:
    driver.show_statistics()
    actions = driver.window.actions_of_window
    for action in (actions.find, actions.again, actions.edit_last, actions.copy_reply, actions.drafter):
        action.trigger()
    assert QApplication.activePopupWidget() is None


def test_a_reply_is_copied_without_its_reasoning(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.script = deltas_of("<think>\nIt is about ice.\n</think>\n\nIce *floats*.")
    driver.type("Does ice float?")
    driver.wait_idle()
    clipboard = QApplication.clipboard()
    driver.window.actions_of_window.copy_reply.trigger()
    assert clipboard.text() == "Ice *floats*."
    clipboard.clear()
    driver.press("Copy this message")
    driver.wait(lambda: clipboard.text() == "Ice *floats*.")
