"""Undo takes back what was done last: a deletion or what was written."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPushButton

from app.chat.notes import Action, NoteBar
from tests.app.driver import Driver, settle


def press_undo(driver: Driver) -> None:
    driver.window.activateWindow()
    driver.qtbot.keyClick(driver.tab.composer.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)


def delete_chat(driver: Driver) -> None:
    name = driver.tab.session.conversation_id or ""
    driver.wait(lambda: driver.window.sidebar.model.index_of(name).isValid())
    driver.window.sidebar.delete_asked.emit((name,))


def delete_reply(driver: Driver) -> None:
    driver.tab.actions_on_messages.act(Action.DELETE_FROM, driver.tab.session.messages[-1].id)
    driver.wait(lambda: "Hello there" not in driver.text)


def test_undo_brings_back_a_deleted_chat_then_messages_then_words(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.qtbot.keyClicks(driver.tab.composer.field, "not sent")
    delete_reply(driver)
    delete_chat(driver)
    assert driver.tab.is_empty
    press_undo(driver)
    driver.wait(lambda: driver.tab.title == "one")
    assert driver.tab.composer.field.toPlainText() == "not sent"


def test_undo_after_a_deletion_brings_messages_back_and_before_it_takes_words(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    field = driver.tab.composer.field
    driver.qtbot.keyClicks(field, "two")
    delete_reply(driver)
    press_undo(driver)
    driver.wait_text("Hello there")
    assert field.toPlainText() == "two"
    press_undo(driver)
    assert field.toPlainText() == ""
    driver.window.actions_of_window.redo.trigger()
    assert field.toPlainText() == "two"


def test_a_dialog_holds_the_time_in_which_a_chat_can_be_had_back(
    make_driver: Callable[[], Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("UNDO_MILLISECONDS", "HELD_MILLISECONDS"):
        monkeypatch.setattr(f"app.conversations.deletion.{name}", 10)
    driver = make_driver()
    driver.type("one")
    driver.wait_idle()
    dialog = QDialog(driver.window)
    dialog.open()
    delete_chat(driver)
    driver.run(settle())
    assert not driver.window.sidebar.undo_note.isHidden()
    dialog.close()
    driver.wait(driver.window.sidebar.undo_note.isHidden)


def words_of(driver: Driver) -> set[str]:
    shown = [bar for bar in driver.tab.findChildren(NoteBar) if bar.isVisible()]
    return {button.text() for bar in shown for button in bar.findChildren(QPushButton)}


def test_a_notice_covers_no_offer(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    delete_reply(driver)
    driver.wait(lambda: words_of(driver) == {"Undo", "Close", "Again"})
    driver.window.teller.say("1 chat was exported.")
    assert words_of(driver) == {"Undo", "Close", "Again"}
    driver.press("Undo the deletion")
    driver.wait_text("Hello there")
    driver.wait(lambda: words_of(driver) == {"Close"})
