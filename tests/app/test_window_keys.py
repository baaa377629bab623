"""Keys reach what is before the eyes: the chat that is shown, and the field it is written in."""

from __future__ import annotations

from PySide6.QtCore import Qt

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
    deleted: list[str] = []
    driver.window.sidebar.delete_asked.connect(deleted.append)
    click_row(driver, first, Qt.MouseButton.RightButton)
    driver.window.sidebar.list.setFocus()
    for key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
        driver.qtbot.keyClick(driver.window.sidebar.list, key)
    assert deleted == []
    driver.qtbot.keyClick(driver.window.sidebar.list, Qt.Key.Key_Up)
    driver.qtbot.keyClick(driver.window.sidebar.list, Qt.Key.Key_Delete)
    assert deleted == [second]
