"""Keys reach what is before the eyes: the chat that is shown, and the field it is written in."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget

from tests.app.driver import Driver


def write_two_chats(driver: Driver) -> tuple[str, str]:
    """Ids of two chats, both open in tabs and listed; the second is shown."""
    ids = []
    for words in ("one", "two"):
        driver.window.workspace.new_tab()
        driver.type(words)
        driver.wait_idle()
        ids.append(driver.tab.session.conversation_id or "")
    model = driver.window.sidebar.model
    driver.wait(lambda: all(model.index_of(name).isValid() for name in ids))
    return ids[0], ids[1]


def click_row(driver: Driver, conversation_id: str, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
    chats = driver.window.sidebar.list
    place = chats.visualRect(driver.window.sidebar.model.index_of(conversation_id)).center()
    driver.qtbot.mouseClick(chats.viewport(), button, pos=place)


def test_delete_leaves_a_clicked_chat_alone_that_is_not_shown(driver: Driver) -> None:
    first, second = write_two_chats(driver)
    deleted: list[tuple[str, ...]] = []
    driver.window.sidebar.delete_asked.connect(deleted.append)
    click_row(driver, first, Qt.MouseButton.RightButton)
    driver.window.sidebar.list.setFocus()
    for key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
        driver.qtbot.keyClick(driver.window.sidebar.list, key)
    assert deleted == []
    driver.qtbot.keyClick(driver.window.sidebar.list, Qt.Key.Key_Up)
    driver.qtbot.keyClick(driver.window.sidebar.list, Qt.Key.Key_Delete)
    assert deleted == [(second,)]


def field_text(driver: Driver) -> str:
    return driver.tab.composer.field.toPlainText()


@pytest.mark.parametrize("place", ["transcript", "tabs", "list", "button"])
def test_what_is_typed_elsewhere_is_written_in_the_composer(driver: Driver, place: str) -> None:
    write_two_chats(driver)
    window = driver.window
    places: dict[str, QWidget] = {
        "transcript": driver.tab.transcript,
        "tabs": window.workspace.row.bar,
        "list": window.sidebar.list,
        "button": window.workspace.row.menu_button,
    }
    places[place].setFocus(Qt.FocusReason.TabFocusReason)
    driver.qtbot.keyClicks(places[place], "H")
    assert driver.tab.composer.field.hasFocus()
    QApplication.clipboard().setText("ello")
    places[place].setFocus()
    driver.qtbot.keyClick(places[place], Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert field_text(driver) == "Hello"


def test_arrows_and_letters_with_control_move_no_keyboard(driver: Driver) -> None:
    write_two_chats(driver)
    chats = driver.window.sidebar.list
    chats.setFocus(Qt.FocusReason.TabFocusReason)
    driver.qtbot.keyClick(chats, Qt.Key.Key_Down)
    driver.qtbot.keyClick(chats, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert chats.hasFocus()
    assert field_text(driver) == ""


def test_whoever_comes_to_a_chat_writes_in_it(driver: Driver) -> None:
    first, _ = write_two_chats(driver)
    window = driver.window

    def comes_to_field() -> bool:
        is_there = driver.tab.composer.field.hasFocus()
        driver.tab.transcript.setFocus()
        return is_there

    bar = window.workspace.row.bar
    driver.tab.transcript.setFocus()
    click_row(driver, first)
    assert driver.tab.session.conversation_id == first
    assert comes_to_field()
    driver.qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(1).center())
    assert bar.currentIndex() == 1
    assert comes_to_field()
    window.actions_of_window.next_tab.trigger()
    assert comes_to_field()
    next(action for action in window.actions() if action.shortcut().toString() == "Ctrl+2").trigger()
    assert comes_to_field()


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_enter_presses_a_button_as_the_space_bar_does(driver: Driver, key: Qt.Key) -> None:
    page = driver.window.importer.show_page()
    row = driver.window.workspace.row
    pressed: list[QAbstractButton] = []
    for button in (page.folder, row.new_button, page.undo):
        button.clicked.disconnect()
        button.clicked.connect(lambda checked=False, button=button: pressed.append(button))
        button.show()
        button.setFocus()
        driver.qtbot.keyClick(button, key)
    assert pressed == [page.folder, row.new_button, page.undo]


@pytest.mark.skipif(sys.platform == "darwin", reason="the system's own menu bar has its own key")
def test_f10_opens_the_menu_and_arrow_keys_go_through_it(driver: Driver) -> None:
    driver.qtbot.keyClick(driver.tab.composer.field, Qt.Key.Key_F10)
    chat = QApplication.activePopupWidget()
    assert isinstance(chat, QMenu)
    assert chat.activeAction().text() == "New chat"
    driver.qtbot.keyClick(chat, Qt.Key.Key_Left)
    whole = QApplication.activePopupWidget()
    assert isinstance(whole, QMenu)
    assert whole.activeAction().text() == "Chat"
    for key, words in ((Qt.Key.Key_Down, "Reply"), (Qt.Key.Key_Down, "Edit")):
        driver.qtbot.keyClick(whole, key)
        assert whole.activeAction().text() == words
    driver.qtbot.keyClick(whole, Qt.Key.Key_Escape)
    assert QApplication.activePopupWidget() is None
    assert driver.tab.composer.field.hasFocus()
