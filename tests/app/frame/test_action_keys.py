"""Shortcuts that a user chose act at once and at the next start; a clash is named and changes nothing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent, QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLabel

from app.dialogs.shortcuts import ShortcutList
from app.frame.action_keys import FIXED, ActionKeys, editing_keys
from app.settings.key_list import HELP
from app.settings.preferences import Preferences, Settings
from app.settings.shortcuts_page import ShortcutsPage
from tests.app.driver import Driver

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(driver: Driver) -> ShortcutsPage:
    driver.window.settings_pages.show("Shortcuts")
    page = driver.window.settings_pages.window.made_page("Shortcuts")
    page.list.setFocus()
    return page


def choose_row(page: ShortcutsPage, words: str) -> None:
    model = page.list.model()
    found = (model.index(row, 0) for row in range(model.rowCount()))
    page.list.setCurrentIndex(next(index for index in found if index.data().startswith(words)))


def shortcuts(driver: Driver, name: str) -> list[str]:
    return [keys.toString() for keys in getattr(driver.window.actions_of_window, name).shortcuts()]


def press(driver: Driver, page: ShortcutsPage, key: Qt.Key, modifier: Qt.KeyboardModifier) -> None:
    driver.qtbot.keyClick(page.list, Qt.Key.Key_Return)
    driver.qtbot.keyClick(page.list, key, modifier)


def test_pressed_keys_are_the_action_s_and_stay(driver: Driver, page: ShortcutsPage, data_dir) -> None:
    choose_row(page, "Choose the drafter")
    press(driver, page, Qt.Key.Key_J, CONTROL)
    assert shortcuts(driver, "drafter") == ["Ctrl+J"]
    assert page.list.currentIndex().data().endswith(QKeySequence("Ctrl+J").toString(QKeySequence.NativeText))
    assert Settings(data_dir).preferences.keys == {"choose_drafter": ("Ctrl+J",)}


@pytest.mark.parametrize(
    ("key", "modifier", "sentence"),
    [
        (Qt.Key.Key_D, CONTROL, "Ctrl+D is Choose the drafter. Press other keys, or take these from there first"),
        (Qt.Key.Key_3, CONTROL, "Ctrl+3 is Tab 3."),
        (Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, "A writes or moves in a text"),
        (Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier, "Tab writes or moves in a text"),
        (Qt.Key.Key_Left, CONTROL, "Ctrl+Left moves, selects or deletes in a text"),
        (Qt.Key.Key_Backspace, CONTROL, "Ctrl+Backspace moves, selects or deletes in a text"),
    ],
)
def test_keys_that_are_taken_or_write_are_named_and_refused(driver: Driver, page, key, modifier, sentence) -> None:
    choose_row(page, "Again")
    press(driver, page, key, modifier)
    native = QKeySequence(sentence.split()[0]).toString(QKeySequence.NativeText)
    assert page.note.text.startswith(sentence.replace(sentence.split()[0], native, 1))
    assert shortcuts(driver, "again") == ["Ctrl+R"]


def test_keys_that_were_refused_can_be_followed_by_others_at_once(driver: Driver, page: ShortcutsPage) -> None:
    choose_row(page, "Again")
    press(driver, page, Qt.Key.Key_D, CONTROL)
    driver.qtbot.keyClick(page.list, Qt.Key.Key_J, CONTROL)
    assert shortcuts(driver, "again") == ["Ctrl+J"]


def test_the_program_s_own_keys_can_always_be_pressed_again(driver: Driver, page: ShortcutsPage) -> None:
    """Ctrl+K deletes to the line's end in some text fields; ours leave it to the palette."""
    choose_row(page, "Command palette")
    press(driver, page, Qt.Key.Key_P, CONTROL | Qt.KeyboardModifier.AltModifier)
    choose_row(page, "Command palette")
    press(driver, page, Qt.Key.Key_K, CONTROL)
    assert shortcuts(driver, "palette") == ["Ctrl+K"]


def test_a_refusal_moves_nothing_under_the_pointer_and_is_in_sight(driver: Driver, page: ShortcutsPage) -> None:
    choose_row(page, "Choose the drafter")
    before = page.list.mapTo(page, page.list.rect().topLeft())
    press(driver, page, Qt.Key.Key_3, CONTROL)
    driver.qtbot.wait(20)
    assert page.note.text.endswith("is Tab 3.")
    assert page.list.mapTo(page, page.list.rect().topLeft()) == before
    assert page.rect().contains(page.note.geometry())
    driver.qtbot.keyClick(page.list, Qt.Key.Key_Escape)
    assert page.note.text == HELP


def test_a_refusal_is_told_to_a_screen_reader(driver: Driver, page: ShortcutsPage, monkeypatch) -> None:
    told: list[QAccessibleEvent] = []
    choose_row(page, "Choose the drafter")
    monkeypatch.setattr(QAccessible, "updateAccessibility", told.append)
    press(driver, page, Qt.Key.Key_3, CONTROL)
    assert [event.message() for event in told if isinstance(event, QAccessibleAnnouncementEvent)] == [page.note.text]


@pytest.mark.parametrize("key", [Qt.Key.Key_unknown, Qt.Key.Key_Dead_Acute, Qt.Key.Key_CapsLock])
def test_a_key_without_a_name_changes_nothing_and_the_next_one_counts(driver: Driver, page, key: Qt.Key) -> None:
    choose_row(page, "Again")
    driver.qtbot.keyClick(page.list, Qt.Key.Key_Return)
    QApplication.sendEvent(page.list, QKeyEvent(QEvent.Type.KeyPress, key, CONTROL))
    assert shortcuts(driver, "again") == ["Ctrl+R"]
    driver.qtbot.keyClick(page.list, Qt.Key.Key_J, CONTROL)
    assert shortcuts(driver, "again") == ["Ctrl+J"]


def test_keys_that_were_chosen_are_not_an_action_s_own_too_that_a_later_version_adds(qapp, data_dir) -> None:
    settings = Settings(data_dir)
    settings.change(Preferences(keys={"again": ("Ctrl+J",)}))
    keys, actions = ActionKeys(settings), {name: QAction(name) for name in ("added", "again")}
    keys.add("added", "Chat", actions["added"], ["Ctrl+J", "Ctrl+U"])
    keys.add("again", "Reply", actions["again"], ["Ctrl+R"])
    written = {name: [one.toString() for one in action.shortcuts()] for name, action in actions.items()}
    assert written == {"added": ["Ctrl+U"], "again": ["Ctrl+J"]}


def test_no_action_has_keys_that_a_text_takes(driver: Driver) -> None:
    known = driver.window.settings_pages.keys.actions.values()
    assert not [keys for one in known for keys in one.own if keys in editing_keys() or keys in FIXED]


def test_escape_ends_the_recording_and_leaves_the_window_open(driver: Driver, page: ShortcutsPage) -> None:
    choose_row(page, "Again")
    press(driver, page, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    assert (shortcuts(driver, "again"), page.list.recorded) == (["Ctrl+R"], "")
    assert driver.window.settings_pages.window.isVisible()


def test_keys_can_be_taken_away_and_restored(driver: Driver, page: ShortcutsPage) -> None:
    choose_row(page, "New chat")
    driver.qtbot.keyClick(page.list, Qt.Key.Key_Backspace)
    assert shortcuts(driver, "new") == []
    driver.qtbot.keyClick(page.list, Qt.Key.Key_Delete)
    assert shortcuts(driver, "new") == ["Ctrl+N", "Ctrl+T"]


def test_own_keys_that_another_action_has_are_not_taken_from_it(driver: Driver, page: ShortcutsPage) -> None:
    choose_row(page, "New chat")
    driver.qtbot.keyClick(page.list, Qt.Key.Key_Backspace)
    choose_row(page, "Again")
    press(driver, page, Qt.Key.Key_N, CONTROL)
    choose_row(page, "New chat")
    driver.qtbot.keyClick(page.list, Qt.Key.Key_Delete)
    assert page.note.text.endswith("is Again.")
    assert shortcuts(driver, "new") == []
    page.restore.click()
    assert (shortcuts(driver, "new"), shortcuts(driver, "again")) == (["Ctrl+N", "Ctrl+T"], ["Ctrl+R"])


def test_search_finds_actions_by_words_and_keys(driver: Driver, page: ShortcutsPage) -> None:
    for typed, found in (("drafter", "Choose the drafter"), (shortcuts(driver, "again")[0], "Again")):
        page.search.setText(QKeySequence(typed).toString(QKeySequence.NativeText) if "+" in typed else typed)
        rows = [page.list.model().index(row, 0).data() for row in range(page.list.model().rowCount())]
        assert any(row.startswith(found) for row in rows)
        assert len(rows) < 8


def test_help_shows_the_chosen_keys(driver: Driver, page: ShortcutsPage) -> None:
    choose_row(page, "Statistics")
    press(driver, page, Qt.Key.Key_J, CONTROL)
    driver.window.actions_of_window.shortcuts.trigger()
    help_list = driver.window.findChild(ShortcutList)
    words = [label.text() for label in help_list.findChildren(QLabel)]
    assert words[words.index("Statistics") + 1] == QKeySequence("Ctrl+J").toString(QKeySequence.NativeText)
    help_list.close()


def test_names_of_actions_are_those_that_preferences_may_hold(driver: Driver) -> None:
    assert {
        "new_chat",
        "reopen_tab",
        "close_tab",
        "search_chats",
        "settings",
        "quit",
        "stop",
        "continue",
        "again",
        "previous_branch",
        "next_branch",
        "choose_drafter",
        "undo",
        "redo",
        "find",
        "edit_last",
        "copy_reply",
        "write",
        "sidebar",
        "inspector",
        "tint",
        "statistics",
        "prompt_cache",
        "next_tab",
        "previous_tab",
    } <= set(driver.window.actions_of_window.keys.actions)
