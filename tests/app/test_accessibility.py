"""Every widget that can be used is reached by Tab and has a name, in each state of the window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine, deltas_of

USABLE = (QAbstractButton, QAbstractItemView, QLineEdit, QPlainTextEdit, QTabBar)
MOST_STEPS = 300
STATES = ("empty", "replied", "stopped", "inspector", "statistics", "search", "find", "edit")


def usable_in(window: QWidget) -> list[QWidget]:
    shown = (one for one in window.findChildren(QWidget) if isinstance(one, USABLE) and one.isVisible())
    return [widget for widget in shown if widget.isEnabled() and not widget.visibleRegion().isEmpty()]


def name_of(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface else ""


def reached_by_tab(driver: Driver) -> set[QWidget]:
    """All that has the keyboard as Tab is pressed until it comes round."""
    reached: list[QWidget] = []
    for _ in range(MOST_STEPS):
        focused = QApplication.focusWidget()
        if focused is None or (focused in reached and focused is reached[0] and len(reached) > 3):
            break
        reached.append(focused)
        driver.qtbot.keyClick(focused, Qt.Key.Key_Tab)
    return set(reached)


def do(driver: Driver, words: str) -> None:
    next(action for action in driver.window.findChildren(QAction) if action.text() == words).trigger()
    driver.run(settle())


def bring_into(state: str, driver: Driver, engine: FakeEngine) -> None:
    match state:
        case "empty":
            pass
        case "stopped":
            engine.script, engine.ending = deltas_of("```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"), None
            driver.type("Write some code")
            driver.wait_text("x = 1")
            driver.tab.stop()
            driver.wait_idle()
        case _:
            driver.type("Why does ice float?")
            driver.wait_idle()
    action = {
        "inspector": "Inspector",
        "statistics": "Statistics",
        "search": "Search chats",
        "find": "Find in this chat",
        "edit": "Edit the last message",
    }.get(state)
    if action:
        do(driver, action)


@pytest.mark.parametrize("state", STATES)
def test_all_that_can_be_used_has_a_name_and_is_reached_by_tab(
    state: str, driver: Driver, fake_engine: FakeEngine
) -> None:
    bring_into(state, driver, fake_engine)
    usable = usable_in(driver.window)
    assert len(usable) >= 6
    assert [widget for widget in usable if not name_of(widget)] == []
    reached = reached_by_tab(driver)
    assert [name_of(widget) for widget in usable if widget not in reached] == []
