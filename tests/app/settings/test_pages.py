"""Every page of the settings: what can be used has a name and is reached by Tab, and nothing is cut off at its side."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QScrollArea, QSlider

from app.parts.settings import ORDER
from tests.app.driver import Driver, settle
from tests.app.test_accessibility import MOST_STEPS, name_of, usable_in

PAGES = ("General", "Appearance", "Prompt cache", "Statistics", "Shortcuts", "Data and privacy")


def usable_on(window):
    others = [one for kind in (QComboBox, QSlider) for one in window.findChildren(kind) if one.isVisible()]
    return [*usable_in(window), *(one for one in others if not one.visibleRegion().isEmpty())]


def in_view(widget):
    """A combo box hands its own list and field the keyboard."""
    return [one for one in usable_on(widget) if one.focusPolicy() is not Qt.FocusPolicy.NoFocus]


def test_pages_stand_in_the_order_of_the_design(driver: Driver) -> None:
    driver.window.settings_pages.show()
    names = driver.window.settings_pages.window.names
    assert names == tuple(name for name in ORDER if name in names)
    assert set(PAGES) <= set(names)


def test_all_that_can_be_used_has_a_name_and_is_reached_by_tab(driver: Driver) -> None:
    driver.window.settings_pages.show()
    window = driver.window.settings_pages.window
    for name in PAGES:
        driver.window.settings_pages.show(name)
        driver.run(settle())
        usable = in_view(window)
        assert len(usable) >= 3, name
        assert [one for one in usable if not name_of(one)] == [], name
        reached = reached_by_tab(driver, window)
        assert [name_of(one) for one in usable if one not in reached] == [], name


def reached_by_tab(driver: Driver, window) -> list:
    """From the list of pages on, until the keyboard comes back."""
    reached = []
    window.list.setFocus()
    for _ in range(MOST_STEPS):
        focused = QApplication.focusWidget()
        if focused is None or focused in reached:
            break
        reached.append(focused)
        driver.qtbot.keyClick(focused, Qt.Key.Key_Tab)
    return reached


@pytest.mark.parametrize("size", [100, 150])
def test_nothing_is_wider_than_the_smallest_window(driver: Driver, size: int) -> None:
    driver.window.theme.set_text_size(size)
    driver.window.settings_pages.show()
    window = driver.window.settings_pages.window
    window.resize(1, 1)
    for name in PAGES:
        driver.window.settings_pages.show(name)
        driver.run(settle())
        areas = [one for one in window.findChildren(QScrollArea) if one.isVisible() and one.widget() is not None]
        assert len(areas) == 1, name
        assert areas[0].widget().width() <= areas[0].viewport().width(), name
    driver.window.theme.set_text_size(100)
