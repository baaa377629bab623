"""The sidebar under hands and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from app.conversations.search import Hit
from app.sidebar.panel import Sidebar
from app.sidebar.rows import Kind
from tests.app.sidebar.conversations import conversation, shown_sidebar

HITS = (
    Hit("a", "Why does ice float?", "m1", "an open lattice with more", ((8, 15),), 1.0),
    Hit("b", "Crystals", "m2", "lattice constants", ((0, 7),), 2.0),
)


@pytest.fixture
def sidebar(qapp: QApplication, qtbot: QtBot) -> Sidebar:
    return shown_sidebar(
        qtbot,
        (conversation("one"), conversation("two", folder="F"), conversation("three", num_branches=3, is_pinned=True)),
    )


def entries(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def choose(menu: QMenu, words: str) -> None:
    next(action for action in menu.actions() if action.text() == words).trigger()


def heard_from(signal) -> list[tuple]:
    heard: list[tuple] = []
    signal.connect(lambda *values: heard.append(values))
    return heard


def test_a_screen_reader_hears_branches_pin_and_state(sidebar: Sidebar) -> None:
    sidebar.model.set_states({"three": "running"}, "three")
    index = sidebar.model.index_of("three")
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "three, pinned, 3 branches, running"


def test_the_menu_offers_what_a_chat_can_do(sidebar: Sidebar) -> None:
    asked = heard_from(sidebar.menus.pin_asked)
    menu = sidebar.menus.for_chat("one")
    assert entries(menu) == ["Rename", "Pin", "Move to folder", "Duplicate", "Export…", "Delete"]
    choose(menu, "Pin")
    assert asked == [(("one",), True)]
    assert "Unpin" in entries(sidebar.menus.for_chat("three"))


def test_a_chat_moves_into_a_folder_and_out_of_it(sidebar: Sidebar) -> None:
    asked = heard_from(sidebar.menus.folder_asked)
    for name, words in (("one", "F"), ("two", "No folder")):
        move = next(menu for menu in sidebar.menus.for_chat(name).findChildren(QMenu))
        choose(move, words)
    assert asked == [(("one",), "F"), (("two",), "")]


def test_a_fresh_folder_is_named_in_place(sidebar: Sidebar) -> None:
    move = next(menu for menu in sidebar.menus.for_chat("one").findChildren(QMenu))
    choose(move, "New folder…")
    sidebar.show_conversations((conversation("one", folder="New folder"),))
    (editor,) = sidebar.list.findChildren(QLineEdit)
    assert editor.text() == "New folder"


def test_a_click_on_a_folder_folds_it_and_is_told(sidebar: Sidebar, qtbot: QtBot) -> None:
    told = heard_from(sidebar.folding_changed)
    place = sidebar.list.visualRect(sidebar.model.index_of_place((Kind.FOLDER, "F"))).center()
    qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert told == [(("F",),)]
    assert not sidebar.model.index_of("two").isValid()


def test_arrows_fold_and_unfold_a_folder(sidebar: Sidebar, qtbot: QtBot) -> None:
    sidebar.list.setCurrentIndex(sidebar.model.index_of_place((Kind.FOLDER, "F")))
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Left)
    assert sidebar.model.folded == {"F"}
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Right)
    assert sidebar.model.index_of("two").isValid()


def test_what_is_found_takes_the_place_of_the_list_until_escape(sidebar: Sidebar, qtbot: QtBot) -> None:
    chosen = heard_from(sidebar.hit_chosen)
    with qtbot.waitSignal(sidebar.search_asked) as asked:
        qtbot.keyClicks(sidebar.field, "lattice")
    assert asked.args == ["lattice"]
    sidebar.show_hits("lattice", HITS)
    assert sidebar.results.isVisible()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(sidebar.field, key)
    assert chosen == [(HITS[1],)]
    qtbot.keyClick(sidebar.field, Qt.Key.Key_Escape)
    assert sidebar.list.isVisible()
    assert not sidebar.field.text()


def test_hits_of_words_that_were_typed_over_are_not_shown(sidebar: Sidebar) -> None:
    sidebar.field.setText("lattices")
    sidebar.show_hits("lattice", HITS)
    assert sidebar.list.isVisible()


def test_nothing_found_is_said(sidebar: Sidebar) -> None:
    sidebar.field.setText("lattice")
    sidebar.show_hits("lattice", ())
    assert sidebar.nothing.text() == "No chat contains “lattice”."
    assert sidebar.nothing.isVisible()


def test_a_title_that_is_edited_stays_in_hand_when_the_list_changes(sidebar: Sidebar, qtbot: QtBot) -> None:
    asked = heard_from(sidebar.model.rename_asked)
    sidebar.list.edit_chat("one")
    sidebar.show_conversations((conversation("other"), conversation("one")))
    (editor,) = sidebar.list.findChildren(QLineEdit)
    qtbot.keyClicks(editor, "first")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: asked == [("one", "first")])
    qtbot.waitUntil(lambda: sidebar.model.index_of("other").isValid())


def test_the_list_stays_where_it_was_scrolled_to_when_a_chat_comes(sidebar: Sidebar) -> None:
    chats = [conversation(str(number)) for number in range(80)]
    sidebar.show_conversations(chats)
    sidebar.list.verticalScrollBar().setValue(600)
    sidebar.show_conversations([*chats, conversation("last", 400)])
    assert sidebar.list.verticalScrollBar().value() == 600
