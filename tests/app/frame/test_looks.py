"""What is chosen of the looks acts on the open window at once, and on the next start."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.frame.looks import change_looks
from app.settings.appearance_page import AppearancePage
from app.settings.preferences import Settings
from app.theme.fonts import TextSize
from app.theme.tokens import DARK, LIGHT
from tests.app.driver import Driver


@pytest.fixture
def page(driver: Driver):
    """The page Appearance of the window's settings, shown."""
    driver.window.settings_pages.show("Appearance")
    window = driver.window.settings_pages.window
    yield window.made_page("Appearance")
    looks = driver.window.settings.preferences.looks
    change_looks(driver.window.settings, replace(looks, text_size=100, scheme="light"))
    QApplication.styleHints().setColorScheme(Qt.ColorScheme.Unknown)


def test_dark_is_dark_at_once_whatever_the_system_has(qtbot, driver: Driver, page: AppearancePage):
    page.scheme.choose("dark")
    assert driver.window.theme.tokens is DARK
    page.scheme.choose("system")
    assert driver.window.theme.tokens is LIGHT


def test_text_size_of_the_slider_holds_for_every_window(qtbot, driver: Driver, page: AppearancePage):
    qtbot.keyClick(page.text_size.slider, Qt.Key.Key_Right)
    assert TextSize.percent == 105
    driver.window.looks.step_text_size(1)
    assert (TextSize.percent, page.text_size.value) == (115, 115)


def test_column_is_as_wide_as_was_chosen(qtbot, driver: Driver, page: AppearancePage):
    driver.window.resize(1500, 800)
    driver.type("Why does ice float?")
    driver.wait_idle()
    assert driver.tab.transcript.sections.column == 720
    page.column.selectAll()
    qtbot.keyClicks(page.column, "600")
    qtbot.keyClick(page.column, Qt.Key.Key_Return)
    assert driver.tab.transcript.sections.column == 600


def test_reduced_motion_lets_the_clock_of_the_glyphs_stand(qtbot, driver: Driver, page: AppearancePage):
    qtbot.keyClick(page.motion, Qt.Key.Key_Space)
    driver.window.pulse.set_running(True)
    assert (driver.window.pulse.phase, driver.window.pulse.is_moving) == (0, False)
    qtbot.keyClick(page.motion, Qt.Key.Key_Space)
    assert driver.window.pulse.is_moving


def test_tint_of_menu_and_page_are_one(qtbot, driver: Driver, page: AppearancePage):
    driver.window.actions_of_window.tint.trigger()
    assert page.tint.isChecked()
    qtbot.keyClick(page.tint, Qt.Key.Key_Space)
    assert not driver.window.actions_of_window.tint.isChecked()
    assert not driver.tab.transcript.is_tinted


def test_text_size_of_the_file_appearance_moves_into_the_preferences_once(
    data_dir: Path, make_driver: Callable[[], Driver]
):
    (data_dir / "appearance.json").write_text(json.dumps({"text_size": 400}))
    window = make_driver().window
    assert window.settings.preferences.looks.text_size == TextSize.percent == 150
    assert not (data_dir / "appearance.json").exists()
    assert Settings(data_dir).preferences.looks.text_size == 150
    window.looks.step_text_size(0)


def test_tabs_are_not_reopened_where_that_is_off(make_driver: Callable[[], Driver]):
    driver = make_driver()
    driver.type("Why does ice float?")
    driver.wait_idle()
    settings = driver.window.settings
    general = replace(settings.preferences.general, reopens_tabs=False)
    settings.change(replace(settings.preferences, general=general))
    again = make_driver()
    assert [tab.is_empty for tab in again.window.workspace.tabs] == [True]
