"""SettingsWindow: pages are made when they are shown, and the window comes back as it was left."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.settings.window import NARROW, PageEntry, SettingsWindow

NAMES = ("General", "Appearance", "Templates")


@pytest.fixture
def open_window(qtbot, theme, settings):
    """Makes a settings window of three pages that notes which pages it made."""

    def make() -> SettingsWindow:
        made: list[str] = []
        pages = [PageEntry(name, "settings", lambda name=name: made.append(name) or QLabel(name)) for name in NAMES]
        window = SettingsWindow(theme, settings, pages)
        window.made = made
        qtbot.addWidget(window)
        return window

    return make


def test_page_is_made_once_and_only_when_it_is_shown(open_window):
    window = open_window()
    assert window.made == []
    for name in ("", "Templates", "General"):
        window.show_page(name)
    assert (window.made, window.page) == (["General", "Templates"], "General")


def test_arrow_goes_to_the_next_page(qtbot, open_window):
    window = open_window()
    window.show_page()
    qtbot.keyClick(window.list, Qt.Key.Key_Down)
    assert window.page == "Appearance"
    assert window.windowTitle() == "Appearance · Settings"


@pytest.mark.parametrize(
    ("key", "modifier"),
    [(Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)],
)
def test_key_closes_it_and_it_comes_back_with_its_last_page_where_it_was(qtbot, open_window, key, modifier):
    window = open_window()
    window.show_page("Templates")
    qtbot.waitExposed(window)
    window.setGeometry(60, 70, 700, 500)
    qtbot.keyClick(window, key, modifier)
    qtbot.waitUntil(lambda: not window.isVisible())
    again = open_window()
    again.show_page()
    assert (again.page, again.geometry().getRect()) == ("Templates", (60, 70, 700, 500))


def test_narrow_window_shows_symbols_alone_and_names_them_in_tooltips(open_window):
    window = open_window()
    window.show_page()
    window.resize(NARROW - 1, 500)
    assert window.list.is_narrow
    assert window.list.model().index(1, 0).data(Qt.ItemDataRole.ToolTipRole) == "Appearance"
    window.resize(NARROW, 500)
    assert not window.list.is_narrow
