"""Tab and F6 go through the window in one order: tab bar, transcript, composer, inspector, sidebar."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from tests.app.driver import Driver, settle

MOST_STEPS = 60


def part_of(driver: Driver, widget: QWidget | None) -> str:
    window, tab = driver.window, driver.window.workspace.current
    parts = {
        "tab bar": window.workspace.row,
        "transcript": tab.transcript if tab else None,
        "composer": tab.composer if tab else None,
        "page": window.workspace.current_page,
        "inspector": window.workspace.body.side,
        "sidebar": window.sidebar,
    }
    holders = (name for name, part in parts.items() if part is not None and widget is not None)
    return next((name for name in holders if parts[name] is widget or parts[name].isAncestorOf(widget)), "")


def parts_by_tab(driver: Driver) -> list[str]:
    """The parts that Tab comes through, from the tab bar on, until it comes round."""
    driver.window.resize(1320, 700)
    driver.window.workspace.row.bar.setFocus(Qt.FocusReason.TabFocusReason)
    parts = []
    for _ in range(MOST_STEPS):
        focused = QApplication.focusWidget()
        if (part := part_of(driver, focused)) not in parts[-1:]:
            parts.append(part)
        if len(parts) > 1 and part == parts[0]:
            break
        driver.qtbot.keyClick(focused, Qt.Key.Key_Tab)
        QApplication.processEvents()
    return parts[:-1]


def test_tab_goes_to_the_inspector_after_the_composer(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.window.actions_of_window.inspector.trigger()
    driver.window.workspace.new_tab()
    driver.window.workspace.row.bar.setCurrentIndex(0)
    driver.run(settle())
    assert parts_by_tab(driver) == ["tab bar", "transcript", "composer", "inspector", "sidebar"]


def test_tab_goes_to_a_page_before_the_sidebar(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.show_statistics()
    driver.run(settle())
    assert parts_by_tab(driver) == ["tab bar", "page", "sidebar"]


def test_f6_gives_the_keyboard_to_what_is_first_in_the_inspector(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    window = driver.window
    window.resize(1320, 700)
    window.actions_of_window.inspector.trigger()
    driver.run(settle())
    window.regions.step(1)
    assert window.statistics.inspector is not None
    assert window.statistics.inspector.numbers.hasFocus()
    window.regions.step(1)
    assert part_of(driver, QApplication.focusWidget()) == "sidebar"
