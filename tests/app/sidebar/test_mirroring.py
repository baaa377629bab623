"""The window under an interface language that runs from right to left."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tests.app.driver import Driver


@pytest.fixture
def mirrored_driver(qapp: QApplication, make_driver: Callable[[], Driver]) -> Iterator[Driver]:
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    driver = make_driver()
    driver.window.resize(1320, 700)
    yield driver
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def test_sidebar_and_inspector_change_sides(mirrored_driver: Driver) -> None:
    window = mirrored_driver.window
    window.actions_of_window.inspector.trigger()
    side = window.workspace.body.side
    assert side is not None
    assert window.sidebar.geometry().right() == window.shell.rect().right()
    assert side.geometry().left() == 0
    assert window.workspace.geometry().left() == 0


def test_the_close_mark_of_a_tab_changes_sides(mirrored_driver: Driver) -> None:
    mirrored_driver.type("one")
    mirrored_driver.wait_idle()
    bar = mirrored_driver.window.workspace.row.bar
    place = bar.tabRect(0).center()
    place.setX(bar.tabRect(0).left() + 18)
    mirrored_driver.qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place)
    assert mirrored_driver.tab.is_empty
