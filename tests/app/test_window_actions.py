"""Menu items and shortcuts: what has an effect now can be chosen, and nothing else."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction

from app.frame.actions import IS_MAC
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine, deltas_of


def enabled(driver: Driver, *actions: str) -> dict[str, bool]:
    known = driver.window.actions_of_window
    found = {name: getattr(known, name) for name in actions}
    assert all(isinstance(action, QAction) for action in found.values())
    return {name: action.isEnabled() for name, action in found.items()}


OF_REPLIES = ("again", "copy_reply", "details", "find", "edit_last")


def test_in_an_empty_chat_nothing_can_be_done_with_replies(driver: Driver) -> None:
    assert not any(enabled(driver, *OF_REPLIES, "stop", "go_on", "reopen", "previous_branch", "next_tab").values())
    driver.type("one")
    driver.wait_idle()
    assert all(enabled(driver, *OF_REPLIES).values())
    driver.window.workspace.new_tab()
    assert not any(enabled(driver, *OF_REPLIES).values())
    assert enabled(driver, "next_tab") == {"next_tab": True}


def test_branches_can_be_stepped_to_where_there_are_some(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.type("one")
    driver.wait_idle()
    assert enabled(driver, "previous_branch", "next_branch") == {"previous_branch": False, "next_branch": False}
    fake_engine.script = deltas_of("Another one.")
    driver.window.actions_of_window.again.trigger()
    driver.wait_text("Another one.")
    driver.wait_idle()
    assert enabled(driver, "previous_branch", "next_branch") == {"previous_branch": True, "next_branch": False}
    driver.window.actions_of_window.previous_branch.trigger()
    driver.wait(lambda: "Another one." not in driver.text)
    assert enabled(driver, "previous_branch", "next_branch") == {"previous_branch": False, "next_branch": True}


def test_a_closed_tab_can_be_opened_again_once(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.window.workspace.close_tab(0)
    assert enabled(driver, "reopen") == {"reopen": True}
    driver.window.actions_of_window.reopen.trigger()
    driver.wait_text("one")
    assert enabled(driver, "reopen") == {"reopen": False}


def test_on_another_page_nothing_can_be_done_with_a_chat(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.window.actions_of_window.statistics.trigger()
    driver.run(settle())
    assert not any(enabled(driver, *OF_REPLIES, "write", "drafter", "inspector").values())


def test_no_key_belongs_to_two_actions_and_none_to_the_desktop_alone(driver: Driver) -> None:
    keys = [key.toString() for action in driver.window.actions() for key in action.shortcuts()]
    assert sorted(keys) == sorted(set(keys))
    for action in driver.window.actions():
        own = [key.toString() for key in action.shortcuts()]
        assert not own or not all(key.startswith("Ctrl+Alt+") for key in own), action.text()


@pytest.mark.skipif(IS_MAC, reason="macOS leaves Control, Option and an arrow to programs")
def test_keys_that_desktops_take_are_never_those_that_menus_name(driver: Driver) -> None:
    """A menu names the first of an action's keys."""
    for action in driver.window.actions():
        assert not action.shortcut().toString().startswith("Ctrl+Alt+"), action.text()


def test_branches_are_stepped_through_with_alt_and_an_arrow(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.type("one")
    driver.wait_idle()
    fake_engine.script = deltas_of("Another one.")
    driver.window.actions_of_window.again.trigger()
    driver.wait_text("Another one.")
    driver.wait_idle()
    driver.window.activateWindow()
    driver.qtbot.keyClick(driver.tab.composer.field, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    driver.wait(lambda: "Another one." not in driver.text)
