"""The sidebar beside the content, or over it."""

from __future__ import annotations

from PySide6.QtCore import Qt

from tests.app.driver import Driver


def test_a_sidebar_over_the_chat_goes_when_the_keyboard_goes_there(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    window = driver.window
    window.resize(480, 560)
    window.activateWindow()
    for lead_on in (window.actions_of_window.find, window.actions_of_window.write, window.actions_of_window.statistics):
        window.actions_of_window.search.trigger()
        driver.qtbot.keyClicks(window.sidebar.field, "one")
        driver.qtbot.keyClick(window.sidebar.field, Qt.Key.Key_Escape)
        assert window.shell.is_sidebar_shown
        lead_on.trigger()
        driver.wait(lambda: not window.shell.is_sidebar_shown)
