"""Several chats are chosen in the sidebar, with clicks and with keys, and acted on together."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.chat.notes import Action
from app.sidebar.panel import Sidebar
from app.theme.tokens import DARK, LIGHT, Tokens
from tests.app.sidebar.conversations import conversation, shown_sidebar

SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
CHATS = (conversation("a"), conversation("b"), conversation("c", folder="F"), conversation("d"))
ORDER = ("c", "a", "b", "d")  # the folder's stand above those of today


@pytest.fixture
def sidebar(qapp: QApplication, qtbot: QtBot) -> Sidebar:
    return shown_sidebar(qtbot, CHATS)


def click(qtbot: QtBot, sidebar: Sidebar, name: str, modifier: Qt.KeyboardModifier | None = None) -> None:
    place = sidebar.list.visualRect(sidebar.model.index_of(name)).center()
    keys = modifier or Qt.KeyboardModifier.NoModifier
    qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, keys, place)


def heard(signal: object) -> list[object]:
    told: list[object] = []
    signal.connect(told.append)  # type: ignore[attr-defined]
    return told


def test_clicks_with_shift_and_ctrl_choose_and_open_nothing(qtbot: QtBot, sidebar: Sidebar) -> None:
    opened = heard(sidebar.open_asked)
    click(qtbot, sidebar, "a")
    click(qtbot, sidebar, "d", SHIFT)
    assert sidebar.list.chosen == ("a", "b", "d")
    click(qtbot, sidebar, "b", CTRL)
    click(qtbot, sidebar, "c", CTRL)
    assert sidebar.list.chosen == ("c", "a", "d")
    assert opened == ["a"]
    click(qtbot, sidebar, "b")
    assert (sidebar.list.chosen, opened) == (("b",), ["a", "b"])


def test_keys_choose_and_escape_lets_go(qtbot: QtBot, sidebar: Sidebar) -> None:
    chats = sidebar.list
    chats.setFocus(Qt.FocusReason.TabFocusReason)
    chats.setCurrentIndex(sidebar.model.index_of("a"))
    qtbot.keyClick(chats, Qt.Key.Key_Down, SHIFT)
    assert chats.chosen == ("a", "b")
    qtbot.keyClick(chats, Qt.Key.Key_Down, CTRL)
    assert chats.chosen == ("a", "b")
    qtbot.keyClick(chats, Qt.Key.Key_Space, CTRL)
    assert chats.chosen == ("a", "b", "d")
    qtbot.keyClick(chats, Qt.Key.Key_Escape)
    assert chats.chosen == ("d",)
    qtbot.keyClick(chats, Qt.Key.Key_A, CTRL)
    assert chats.chosen == ORDER


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace])
def test_delete_takes_all_that_are_chosen(qtbot: QtBot, sidebar: Sidebar, key: Qt.Key) -> None:
    asked = heard(sidebar.delete_asked)
    click(qtbot, sidebar, "a", CTRL)
    click(qtbot, sidebar, "b", CTRL)
    qtbot.keyClick(sidebar.list, key)
    assert asked == [("a", "b")]


def test_the_menu_of_a_chosen_chat_is_of_all_and_that_of_another_is_its_own(qtbot: QtBot, sidebar: Sidebar) -> None:
    click(qtbot, sidebar, "c", CTRL)
    click(qtbot, sidebar, "b", CTRL)
    index_of, acted_on = sidebar.model.index_of, sidebar.list.acted_on
    assert (acted_on(index_of("b")), acted_on(index_of("a"))) == (("c", "b"), ("a",))
    menu = sidebar.menus.for_chats(("c", "b"))
    words = [action.text().replace("\u00a0", " ") for action in menu.actions() if not action.isSeparator()]
    assert words == ["Pin 2 chats", "Move 2 chats to folder", "Export 2 chats…", "Delete 2 chats"]
    moved: list[tuple[object, str]] = []
    sidebar.menus.folder_asked.connect(lambda *values: moved.append(values))
    (folders,) = [each for each in menu.findChildren(QMenu) if each.title().startswith("Move")]
    folder = next(action for action in folders.actions() if action.text() == "F")
    assert not folder.isChecked()
    folder.trigger()
    assert [(sorted(ids), name) for ids, name in moved] == [(["b", "c"], "F")]  # type: ignore[call-overload]


def test_a_choice_stays_when_the_list_changes(qtbot: QtBot, sidebar: Sidebar) -> None:
    for name in "abd":
        click(qtbot, sidebar, name, CTRL)
    sidebar.show_conversations((conversation("new"), *CHATS[:3]))
    assert sidebar.list.chosen == ("a", "b")
    sidebar.show_conversations((conversation("new"), CHATS[0]))
    assert sidebar.list.chosen == ("a",)
    assert not sidebar.list.is_choosing


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_each_of_several_has_a_check(qtbot: QtBot, tokens: Tokens) -> None:
    sidebar = shown_sidebar(qtbot, CHATS, tokens)

    def checked() -> list[str]:
        """Chats with something in the colour of a check at their end."""
        image = sidebar.list.viewport().grab().toImage()
        found = []
        for name in ORDER:
            rect = sidebar.list.visualRect(sidebar.model.index_of(name))
            end = [
                (x, y) for x in range(rect.right() - 36, rect.right() - 16) for y in range(rect.top(), rect.bottom())
            ]
            if any(image.pixelColor(x, y) == QColor(tokens.target) for x, y in end):
                found.append(name)
        return found

    click(qtbot, sidebar, "a", CTRL)
    assert checked() == []
    click(qtbot, sidebar, "d", CTRL)
    assert checked() == ["a", "d"]


def test_several_that_are_deleted_are_offered_back_as_one(sidebar: Sidebar) -> None:
    sidebar.offer_undo(("a", "", "c"))
    assert sidebar.undo_note.text == "Deleted 3\u00a0chats."
    assert sidebar.undo_note.offered == (Action.UNDO,)
    sidebar.offer_undo(())
    assert sidebar.undo_note.offered == ()


def test_of_one_that_is_chosen_delete_takes_that_and_none_that_was_let_go(qtbot: QtBot, sidebar: Sidebar) -> None:
    asked = heard(sidebar.delete_asked)
    for name in "abdbd":
        click(qtbot, sidebar, name, CTRL)
    assert sidebar.list.chosen == ("a",)
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert asked == []
    for name in "bab":
        click(qtbot, sidebar, name, CTRL)
    click(qtbot, sidebar, "a", CTRL)
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert asked == [("a",)]


@pytest.mark.parametrize(("key", "chosen"), [(CTRL, ("a", "d")), (SHIFT, ("a", "b"))])
def test_choosing_begins_with_the_chat_that_is_shown(
    qtbot: QtBot, sidebar: Sidebar, key: Qt.KeyboardModifier, chosen: tuple[str, ...]
) -> None:
    click(qtbot, sidebar, "d")
    sidebar.model.set_states({}, "a")  # as when another tab is shown
    click(qtbot, sidebar, "d" if key is CTRL else "b", key)
    assert sidebar.list.chosen == chosen


@pytest.mark.parametrize("key", [CTRL, SHIFT])
def test_without_a_chat_that_is_shown_choosing_begins_with_what_is_clicked(
    qtbot: QtBot, sidebar: Sidebar, key: Qt.KeyboardModifier
) -> None:
    sidebar.show_conversations([conversation(name) for name in "abc"])
    click(qtbot, sidebar, "c", key)
    assert sidebar.list.chosen == ("c",)
