"""The window comes back where it was, and where it can be seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication

from app.frame.window_place import TITLE_BAR, WindowPlace, on_a_screen, read_place, write_place
from tests.app.driver import Driver

LEFT, RIGHT = QRect(0, 0, 1440, 900), QRect(1440, 0, 1920, 1080)
ROOM = TITLE_BAR


def test_the_place_of_window_and_sidebar_comes_back(make_driver: Callable[[], Driver]) -> None:
    first = make_driver().window
    first.resize(1000, 500)
    first.shell.set_sidebar_width(300)
    first.shell.toggle_sidebar()
    first.setGeometry(60, 70, 640, 500)
    first.close()
    again = make_driver().window
    assert again.geometry() == QRect(60, 70, 640, 500)
    again.resize(1000, 500)
    assert not again.sidebar.isVisible()
    assert again.workspace.row.sidebar_button.isVisible()
    again.shell.toggle_sidebar()
    assert again.sidebar.width() == 300


def test_the_inspector_comes_back_where_it_was_open(make_driver: Callable[[], Driver]) -> None:
    first = make_driver()
    first.window.actions_of_window.inspector.trigger()
    assert first.window.workspace.body.is_side_shown
    first.window.close()
    again = make_driver()
    again.window.resize(1320, 700)  # it waits for room beside the chat
    assert again.window.workspace.body.is_side_shown
    again.window.workspace.row.inspector_button.click()
    assert not again.window.workspace.body.is_side_shown


def test_a_first_window_is_no_larger_than_its_screen(driver: Driver) -> None:
    screen = driver.window.screen().availableGeometry()
    assert driver.window.height() <= screen.height() - TITLE_BAR
    assert driver.window.width() <= screen.width()


def test_the_place_is_kept_without_a_close(make_driver: Callable[[], Driver], data_dir: Path) -> None:
    driver = make_driver()
    driver.window.setGeometry(60, 70, 640, 500)
    driver.wait(lambda: (place := read_place(data_dir)) is not None and (place.left, place.width) == (60, 640))


def test_a_maximised_window_comes_back_so_with_its_own_size_behind(
    make_driver: Callable[[], Driver], data_dir: Path
) -> None:
    write_place(data_dir, WindowPlace(60, 70, 640, 500, True, 256, True))
    window = make_driver().window
    assert window.isMaximized()
    window.close()
    place = read_place(data_dir)
    assert place is not None
    assert (place.left, place.top, place.width, place.height) == (60, 70, 640, 500)


@pytest.mark.parametrize(
    ("wanted", "seen"),
    [
        (QRect(100, 100, 800, 600), QRect(100, 100, 800, 600)),
        (QRect(1500, 100, 800, 600), QRect(1500, 100, 800, 600)),
        (QRect(9000, 100, 800, 600), QRect(640, 100, 800, 600)),
        (QRect(-700, -500, 800, 600), QRect(0, ROOM, 800, 600)),
        (QRect(1300, 100, 800, 600), QRect(1440, 100, 800, 600)),
        (QRect(0, 0, 5000, 5000), QRect(1440, ROOM, 1920, 1080 - ROOM)),
    ],
)
def test_a_window_is_put_where_all_of_it_is_seen(wanted: QRect, seen: QRect) -> None:
    assert on_a_screen(wanted, [LEFT, RIGHT]) == seen


def test_a_place_beyond_every_screen_is_not_taken(make_driver: Callable[[], Driver], data_dir: Path) -> None:
    write_place(data_dir, WindowPlace(50_000, -50_000, 640, 500, False, 9000, True))
    window = make_driver().window
    assert QApplication.primaryScreen().availableGeometry().contains(window.geometry())
    assert window.shell.sidebar_width == 360


@pytest.mark.parametrize("text", ["[1", "[]", '{"left": 1}', '{"left": 1e999, "top": 0, "width": 1, "height": 1}'])
def test_a_senseless_place_is_left_out(data_dir: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    (data_dir / "window.json").write_text(text)
    assert read_place(data_dir) is None
    assert "window.json was not read" in caplog.text
    caplog.clear()
