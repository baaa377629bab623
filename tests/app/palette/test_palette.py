"""The palette by itself: its keys, its sentence, its sizes, and what a screen reader is given."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QCursor, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.palette.entries import Entry
from app.palette.palette import FIELD, MOST_ROWS, WIDTH, CommandPalette
from app.palette.rows import ROW
from app.theme.theme import Theme

KEYS = (QKeySequence("Ctrl+K"),)
Make = Callable[..., CommandPalette]


@pytest.fixture
def ran() -> list[str]:
    return []


@pytest.fixture
def make(qtbot: QtBot, qapp: QApplication, ran: list[str]) -> Make:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1320, 860)
    window.show()

    def make_one(num_entries: int = 30, width: int = 1320) -> CommandPalette:
        window.resize(width, 860)
        entries = [
            Entry(
                f"{number}",
                f"Entry {number}",
                lambda number=number: ran.append(f"{number}"),
                "Chat",
                open_beside=lambda number=number: ran.append(f"{number} beside"),
                is_enabled=number != 3,
                reason="It has no reply." if number == 3 else "",
            )
            for number in range(num_entries)
        ]
        palette = CommandPalette(Theme(), entries, window, keys=KEYS)
        palette.pop_up()
        return palette

    return make_one


def current(palette: CommandPalette) -> str:
    return palette.list.currentIndex().data()


def test_arrows_go_round_and_pages_stop_at_the_ends(make: Make, qtbot: QtBot) -> None:
    palette = make()
    steps = [
        (Qt.Key.Key_Down, "Entry 1"),
        (Qt.Key.Key_Up, "Entry 0"),
        (Qt.Key.Key_Up, "Entry 29"),
        (Qt.Key.Key_PageUp, "Entry 19"),
        (Qt.Key.Key_PageDown, "Entry 29"),
        (Qt.Key.Key_PageDown, "Entry 29"),
        (Qt.Key.Key_Down, "Entry 0"),
    ]
    for key, expected in steps:
        qtbot.keyClick(palette.field, key)
        assert current(palette) == expected


def test_enter_runs_once_the_palette_is_gone(make: Make, qtbot: QtBot, ran: list[str]) -> None:
    palette = make()
    qtbot.keyClicks(palette.field, "e12")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    palette = make()
    qtbot.keyClick(palette.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert ran == ["12", "0 beside"]


def test_a_click_runs_and_what_is_not_enabled_stays(make: Make, qtbot: QtBot, ran: list[str]) -> None:
    palette = make()
    for row in (3, 2):
        place = palette.list.visualRect(palette.list.rows.index(row)).center()
        qtbot.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert palette.isVisible() is (row == 3)
    assert ran == ["2"]


@pytest.mark.parametrize(("key", "modifier"), [(Qt.Key.Key_Escape, "No"), (Qt.Key.Key_K, "Control")])
def test_esc_and_its_own_keys_close_it(make: Make, qtbot: QtBot, key: Qt.Key, modifier: str) -> None:
    palette = make()
    qtbot.keyClick(palette.field, key, getattr(Qt.KeyboardModifier, f"{modifier}Modifier"))
    assert not palette.isVisible()


def test_tab_leaves_the_keyboard_in_the_field(make: Make, qtbot: QtBot) -> None:
    palette = make()
    qtbot.keyClick(palette.field, Qt.Key.Key_Tab)
    assert palette.focusWidget() is palette.field


def test_what_is_not_there_is_said(make: Make, qtbot: QtBot) -> None:
    palette = make()
    qtbot.keyClicks(palette.field, "zzz")
    assert palette.nothing.isVisible()
    assert palette.nothing.text() == "Nothing is named “zzz”."
    assert not palette.list.isVisible()


def test_it_has_its_place_and_takes_the_room_that_there_is(make: Make) -> None:
    palette = make()
    assert (palette.width(), palette.field.height(), palette.list.height()) == (WIDTH, FIELD, MOST_ROWS * ROW)
    window = palette.parentWidget()
    assert window is not None
    assert palette.pos() == window.mapToGlobal(QPoint((1320 - WIDTH) // 2, 96))
    palette.close()
    assert make(4, width=480).width() == 448


def test_a_screen_reader_is_given_a_list_of_named_rows(make: Make) -> None:
    palette = make(5)
    found = QAccessible.queryAccessibleInterface(palette.list)
    assert found.role() is QAccessible.Role.List
    rows = [palette.list.rows.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in (2, 3)]
    assert rows == ["Entry 2, Chat", "Entry 3, Chat, not available now"]
    reason = palette.list.rows.index(3).data(Qt.ItemDataRole.AccessibleDescriptionRole)
    assert reason == "It has no reply."


def test_a_row_that_is_scrolled_under_the_pointer_is_not_chosen(make: Make, qtbot: QtBot) -> None:
    palette = make()
    palette.list.entered.emit(palette.list.rows.index(7))  # the pointer has not moved
    assert current(palette) == "Entry 0"
    QCursor.setPos(QCursor.pos() + QPoint(9, 9))
    palette.list.entered.emit(palette.list.rows.index(7))
    assert current(palette) == "Entry 7"
