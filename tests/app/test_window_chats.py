"""Chats as the window's sidebar finds, files, pins and copies them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt

from app.chat.find_bar import FindBar
from app.conversations.search import Hit
from app.sidebar.rows import Kind
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine, deltas_of

Ask = Callable[..., Any]


def open_chat_id(driver: Driver) -> str:
    return driver.tab.session.conversation_id or ""


def wait_for_row(driver: Driver, kind: Kind, name: str) -> None:
    model = driver.window.sidebar.model
    driver.wait(lambda: model.index_of_place((kind, name)).isValid())


def test_words_typed_into_the_field_find_a_chat_and_open_it(driver: Driver) -> None:
    driver.type("Why does ice float?")
    driver.wait_idle()
    driver.window.workspace.close_tab(0)
    driver.window.actions_of_window.search.trigger()
    sidebar = driver.window.sidebar
    assert sidebar.field.hasFocus()
    driver.qtbot.keyClicks(sidebar.field, "flo ICE")
    driver.wait(lambda: sidebar.results.isVisible() and sidebar.results.results.rowCount() == 1)
    driver.qtbot.keyClick(sidebar.field, Qt.Key.Key_Return)
    driver.wait(lambda: driver.tab.title == "Why does ice float?")


def test_a_chat_is_pinned_and_put_into_a_folder_that_stays_folded(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    sidebar, name = driver.window.sidebar, open_chat_id(driver)
    wait_for_row(driver, Kind.CHAT, name)
    sidebar.menus.folder_asked.emit((name,), "Thesis")
    wait_for_row(driver, Kind.FOLDER, "Thesis")
    sidebar.list.fold_asked.emit("Thesis", True)
    assert not sidebar.model.index_of(name).isValid()
    sidebar.menus.pin_asked.emit((name,), True)
    wait_for_row(driver, Kind.CAPTION, "Pinned")
    assert sidebar.model.index_of(name).isValid()


def test_a_folder_is_renamed_and_removed_with_its_chats_kept(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    sidebar, name = driver.window.sidebar, open_chat_id(driver)
    wait_for_row(driver, Kind.CHAT, name)
    sidebar.menus.folder_asked.emit((name,), "Thesis")
    wait_for_row(driver, Kind.FOLDER, "Thesis")
    sidebar.model.setData(sidebar.model.index_of_place((Kind.FOLDER, "Thesis")), "Book")
    wait_for_row(driver, Kind.FOLDER, "Book")
    sidebar.menus.dissolve_asked.emit("Book")
    wait_for_row(driver, Kind.CAPTION, "Today")
    assert sidebar.model.index_of(name).isValid()


def test_a_copy_of_a_chat_opens_beside_it(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    wait_for_row(driver, Kind.CHAT, open_chat_id(driver))
    driver.window.sidebar.menus.duplicate_asked.emit(open_chat_id(driver))
    driver.wait(lambda: driver.tab.title == "one copy")
    assert len(driver.window.workspace.tabs) == 2


def test_a_closed_tab_is_opened_again(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.window.actions_of_window.close.trigger()
    assert driver.tab.is_empty
    driver.window.actions_of_window.reopen.trigger()
    driver.wait(lambda: driver.tab.title == "one")
    driver.window.actions_of_window.reopen.trigger()
    assert len(driver.window.workspace.tabs) == 1


def test_a_hit_on_another_branch_shows_that_branch(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.script = deltas_of("A lattice holds it.")
    driver.type("Why does ice float?")
    driver.wait_idle()
    old = driver.tab.session.messages[-1].id
    fake_engine.script = deltas_of("It is light.")
    driver.window.actions_of_window.again.trigger()
    driver.wait_text("It is light.")
    driver.wait_idle()
    assert "lattice" not in driver.text
    chat = driver.tab.session.conversation_id or ""
    driver.window.sidebar.hit_chosen.emit(Hit(chat, "T", old, "lattice", (), 0.0))
    driver.wait_text("A lattice holds it.")


def test_a_hit_in_an_open_chat_raises_its_tab(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    chat, message = driver.tab.session.conversation_id or "", driver.tab.session.messages[0].id
    driver.window.workspace.new_tab()
    driver.window.sidebar.hit_chosen.emit(Hit(chat, "T", message, "one", (), 0.0))
    driver.run(settle())
    assert driver.tab.session.conversation_id == chat
    assert len(driver.window.workspace.tabs) == 2


def test_the_find_bar_goes_on_from_the_words_of_a_hit(driver: Driver) -> None:
    driver.type("Why does ice float?")
    driver.wait_idle()
    chat, message = open_chat_id(driver), driver.tab.session.messages[0].id
    driver.window.workspace.close_tab(0)
    sidebar = driver.window.sidebar
    sidebar.field.setText("ice float")
    sidebar.hit_chosen.emit(Hit(chat, "T", message, "ice float", (), 0.0))
    driver.wait(lambda: any(bar.isVisible() for bar in driver.tab.findChildren(FindBar)))
    assert driver.tab.findChild(FindBar).field.text() == "ice float"  # type: ignore[union-attr]
    assert len(driver.tab.transcript.finder.hits) == 1


def test_an_old_chat_comes_to_today_as_soon_as_it_goes_on(driver: Driver, fake_engine: FakeEngine, ask: Ask) -> None:
    driver.type("one")
    driver.wait_idle()
    ask(lambda store: store.connection.execute("UPDATE conversations SET updated_at = 0").rowcount)
    driver.run(driver.window.catalogue.refresh())
    today = (Kind.CAPTION, "Today")
    assert not driver.window.sidebar.model.index_of_place(today).isValid()
    fake_engine.ending = None
    driver.type("two")
    driver.wait_text("Hello there")
    wait_for_row(driver, *today)
    assert driver.tab.session.is_busy


def test_a_chat_begun_in_a_folder_is_listed_there(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    sidebar = driver.window.sidebar
    wait_for_row(driver, Kind.CHAT, open_chat_id(driver))
    sidebar.list.folder_asked.emit((open_chat_id(driver),), "Thesis")
    wait_for_row(driver, Kind.FOLDER, "Thesis")
    next(each for each in sidebar.menus.for_folder("Thesis").actions() if each.text().startswith("New chat")).trigger()
    assert driver.tab.is_empty
    driver.type("two")
    driver.wait(lambda: {one.folder for one in sidebar.model.conversations if one.title == "two"} == {"Thesis"})
    driver.window.workspace.new_tab()
    driver.type("three")
    driver.wait(lambda: {one.folder for one in sidebar.model.conversations if one.title == "three"} == {""})
