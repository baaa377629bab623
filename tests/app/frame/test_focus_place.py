"""What takes time takes the keyboard only from who waits for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.chat.notes import Action
from app.conversations.database import Database
from app.conversations.exporting.files import ExportKind
from app.dialogs.import_page import ImportPage
from app.frame.focus_place import FocusPlace
from app.tasks import finish, start
from tests.app.driver import Driver

Hold = Callable[[], Callable[[], None]]


@pytest.fixture
def hold(database: Database) -> Iterator[Hold]:
    """Let the disk be slow from a call on until what it returns is called."""
    gate = threading.Event()

    def hold() -> Callable[[], None]:
        database.run(lambda store: gate.wait(10))
        return gate.set

    yield hold
    gate.set()


def settle_in(driver: Driver) -> None:
    """Let what was asked for begin."""
    driver.run(asyncio.sleep(0.02))


def test_the_place_is_kept_where_nobody_went_and_where_what_had_the_keyboard_is_gone(qtbot: QtBot) -> None:
    window = QWidget()
    column = QVBoxLayout(window)
    button, other, field = QPushButton(), QPushButton(), QLineEdit()
    for widget in (button, other, field):
        column.addWidget(widget)
    qtbot.addWidget(window)
    window.show()
    button.setFocus()
    place = FocusPlace(other)
    assert place.is_kept
    field.setFocus()
    assert not place.is_kept
    other.setFocus()
    assert not place.is_kept
    button.hide()
    assert place.is_kept
    field.setFocus()
    assert not place.is_kept


@pytest.mark.parametrize("is_left", [True, False])
def test_a_chat_that_has_opened_is_shown_where_it_is_waited_for(driver: Driver, hold: Hold, is_left: bool) -> None:
    driver.type("one")
    driver.wait_idle()
    chat = driver.tab.session.conversation_id or ""
    other = driver.window.workspace.new_tab()
    other.composer.field.setPlainText("in hand")
    driver.window.workspace.close_tab(0)
    release = hold()
    driver.window.sidebar.list.setFocus()
    driver.window.workspace.open_chat(chat)
    settle_in(driver)
    if is_left:
        other.composer.field.setFocus()
    release()
    driver.wait(lambda: len(driver.window.workspace.tabs) == 2)
    assert (driver.tab is other) is is_left
    assert driver.tab.composer.field.hasFocus()
    driver.window.workspace.open_chat(chat)
    assert driver.text.startswith("one")


def test_an_empty_chat_stays_where_its_writer_went_back_to_it(driver: Driver, hold: Hold) -> None:
    driver.type("one")
    driver.wait_idle()
    chat = driver.tab.session.conversation_id or ""
    driver.window.workspace.close_tab(0)
    empty = driver.tab
    release = hold()
    driver.window.sidebar.list.setFocus()
    driver.window.workspace.open_chat(chat)
    settle_in(driver)
    empty.composer.field.setFocus()
    release()
    driver.wait(lambda: len(driver.window.workspace.tabs) == 2)
    assert driver.tab is empty


@pytest.mark.parametrize("is_left", [True, False])
def test_a_branch_that_has_begun_leaves_the_keyboard_where_it_went(driver: Driver, hold: Hold, is_left: bool) -> None:
    for number, text in enumerate(("one", "two"), 1):
        driver.type(text)
        driver.wait_idle(2 * number)
    session, search = driver.tab.session, driver.window.sidebar.field
    release = hold()
    start(session.choose_switches(()))
    driver.tab.transcript.setFocus()
    driver.tab.actions_on_messages.act(Action.BRANCH, session.messages[1].id)
    settle_in(driver)
    if is_left:
        search.setFocus()
    release()
    driver.wait(lambda: session.is_branching)
    settle_in(driver)
    assert search.hasFocus() is is_left
    assert driver.tab.composer.field.hasFocus() is not is_left


@pytest.mark.parametrize("is_left", [True, False])
def test_what_an_import_found_leaves_the_keyboard_where_it_went(
    driver: Driver, hold: Hold, tmp_path: Path, is_left: bool
) -> None:
    driver.type("one")
    driver.wait_idle()
    path, chat = tmp_path / "chats.json", driver.tab.session.conversation_id or ""
    driver.run(driver.window.catalogue.export([chat], path, ExportKind.JSON))
    path.write_text(path.read_text().replace(chat, "another"))
    release = hold()
    driver.window.importer.read([path])
    page, search = driver.window.workspace.current_page, driver.window.sidebar.field
    assert isinstance(page, ImportPage)
    settle_in(driver)
    if is_left:
        search.setFocus()
    release()
    driver.wait(page.act.isVisible)
    assert search.hasFocus() is is_left
    assert page.act.hasFocus() is not is_left


@pytest.mark.parametrize("is_left", [True, False])
def test_a_copy_is_opened_where_it_is_waited_for(driver: Driver, hold: Hold, is_left: bool) -> None:
    driver.type("one")
    driver.wait_idle()
    window, chat = driver.window, driver.tab.session.conversation_id or ""
    release = hold()
    window.sidebar.list.setFocus()
    window.sidebar.menus.duplicate_asked.emit(chat)
    settle_in(driver)
    if is_left:
        driver.tab.composer.field.setFocus()
    release()
    driver.wait(lambda: len(window.sidebar.model.conversations) == 2)
    driver.run(finish())
    assert driver.tab.title == ("one" if is_left else "one copy")
