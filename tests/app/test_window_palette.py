"""The palette over a window: what it finds, does and opens, and where the keyboard goes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.chat.notes import NoteBar
from app.palette.palette import CommandPalette
from app.parts.settings import DRAFTERS
from app.settings.drafters.page import DraftersPage
from app.tasks import finish
from tests.app.driver import Driver, RunAsync

CONTROL = Qt.KeyboardModifier.ControlModifier


def open_palette(driver: Driver) -> CommandPalette:
    driver.window.actions_of_window.palette.trigger()
    return next(one for one in driver.window.findChildren(CommandPalette) if one.isVisible())


def words_of(palette: CommandPalette) -> list[str]:
    return [found.entry.words for found in palette.list.rows.found]


def run(driver: Driver, typed: str, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    palette = open_palette(driver)
    palette.field.setText(typed)
    driver.qtbot.keyClick(palette.field, Qt.Key.Key_Return, modifiers)


@pytest.fixture
def chats(driver: Driver) -> Driver:
    """Two chats, the second one shown."""
    for text in ("Why does ice float?", "Regex for ISO dates"):
        driver.window.workspace.new_tab()
        driver.type(text)
        driver.wait_idle()
    driver.wait(lambda: len(driver.window.catalogue.conversations) == 2)
    return driver


def titles(driver: Driver) -> list[str]:
    return [tab.title for tab in driver.window.workspace.tabs]


def test_it_runs_an_action_found_by_the_beginnings_of_its_words(driver: Driver) -> None:
    was_visible = driver.window.sidebar.isVisible()
    run(driver, "sideb")
    assert driver.window.sidebar.isVisible() is not was_visible


def test_what_was_run_last_comes_first_the_next_time(driver: Driver) -> None:
    run(driver, "write a message")
    palette = open_palette(driver)
    assert words_of(palette)[:2] == ["Write a message", "New chat"]


def test_esc_gives_the_keyboard_back(driver: Driver) -> None:
    field = driver.tab.composer.field
    field.setFocus()
    palette = open_palette(driver)
    driver.qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert QApplication.focusWidget() is field


def test_what_cannot_be_done_now_is_listed_and_does_nothing(driver: Driver) -> None:
    palette = open_palette(driver)
    palette.field.setText("reopen closed tab")
    assert words_of(palette)[0] == "Reopen closed tab"
    driver.qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    spoken = palette.list.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.endswith("not available now")


def test_enter_opens_a_chat_in_place_of_the_one_that_is_shown(chats: Driver) -> None:
    chats.window.workspace.close_tab(0)
    run(chats, "ice")
    chats.wait(lambda: titles(chats) == ["Why does ice float?"])


def test_with_control_enter_opens_a_chat_in_a_new_tab(chats: Driver) -> None:
    chats.window.workspace.close_tab(0)
    run(chats, "ice", CONTROL)
    chats.wait(lambda: titles(chats) == ["Regex for ISO dates", "Why does ice float?"])
    assert chats.tab.title == "Why does ice float?"


def test_a_chat_with_something_unsent_keeps_its_tab(chats: Driver) -> None:
    chats.window.workspace.close_tab(0)
    chats.tab.composer.field.setPlainText("half a thought")
    run(chats, "ice")
    chats.wait(lambda: len(titles(chats)) == 2)


def test_a_chat_that_is_open_is_gone_to(chats: Driver) -> None:
    run(chats, "wdif")
    chats.wait(lambda: chats.tab.title == "Why does ice float?")
    assert len(titles(chats)) == 2


def test_drafter_and_preset_of_the_shown_chat_are_chosen(driver: Driver) -> None:
    run(driver, "suffix")
    assert driver.tab.session.drafter == "suffix"
    palette = open_palette(driver)
    palette.field.setText("suffix")
    assert palette.list.rows.found[0].spoken == "Suffix, repeats from all chats, Drafter, in use"


def test_preset_is_found_as_one_and_its_choice_is_confirmed_and_seen(driver: Driver) -> None:
    driver.window.models.planner.presets.add("Pirate")
    run(driver, "preset pir")
    driver.wait(lambda: driver.tab.session.preset_in_use.name == "Pirate")
    assert driver.tab.composer.foot.model_chip.accessibleName().endswith(", preset Pirate")
    sentence = "From now on this chat is answered with the preset Pirate."
    assert [bar.text for bar in driver.tab.findChildren(NoteBar) if not bar.isHidden()] == [sentence]
    driver.type("Ahoy")
    driver.wait_idle()
    assert sentence not in [bar.text for bar in driver.tab.findChildren(NoteBar) if not bar.isHidden()]


def test_measuring_is_found_and_opens_the_page_of_drafters(driver: Driver, run_async: RunAsync) -> None:
    run(driver, "measure")
    assert isinstance(driver.window.settings_pages.window.made_page(DRAFTERS), DraftersPage)
    run_async(finish())
    driver.window.settings_pages.close()


@pytest.mark.parametrize("place", ["composer", "search"])
def test_its_keys_open_it_from_where_something_is_written(driver: Driver, place: str) -> None:
    """In a text they would else cut off the rest of the line, on Linux."""
    field = driver.tab.composer.field if place == "composer" else driver.window.sidebar.field
    driver.window.shell.show_sidebar()
    driver.window.activateWindow()
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    field.setFocus()
    driver.qtbot.keyClicks(field, "some words")
    driver.qtbot.keyClick(field, Qt.Key.Key_Home)
    driver.qtbot.keyClick(field, Qt.Key.Key_K, CONTROL)
    assert [one for one in driver.window.findChildren(CommandPalette) if one.isVisible()]
    assert (field.toPlainText() if place == "composer" else field.text()) == "some words"
