"""What is done with several chats at once: deleted and had back, moved, pinned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.tasks import finish
from tests.app.driver import Driver

Ask = Callable[..., Any]


def write_chats(driver: Driver) -> list[str]:
    """Ids of three chats; the first two are open in tabs."""
    ids = []
    for words in ("one", "two", "three"):
        driver.window.workspace.new_tab()
        driver.type(words)
        driver.wait_idle()
        ids.append(driver.tab.session.conversation_id or "")
    driver.window.workspace.close_tab(2)
    driver.wait(lambda: len(driver.window.sidebar.model.conversations) == 3)
    return ids


def listed(driver: Driver) -> list[str]:
    return sorted(one.title for one in driver.window.sidebar.model.conversations)


def test_several_are_deleted_at_once_and_one_undo_has_all_of_them_back(driver: Driver, ask: Ask) -> None:
    one, _, three = write_chats(driver)
    driver.window.sidebar.delete_asked.emit((one, three))
    assert listed(driver) == ["two"]
    assert driver.window.sidebar.undo_note.text == "Deleted 2\u00a0chats."
    driver.window.actions_of_window.undo.trigger()
    driver.wait(lambda: len(driver.window.workspace.tabs) == 2)
    assert listed(driver) == ["one", "three", "two"]
    assert {tab.title for tab in driver.window.workspace.tabs} == {"one", "two"}
    assert len(ask(lambda store: store.list_conversations()).conversations) == 3


def test_several_that_are_not_had_back_are_gone_from_the_disk(driver: Driver, ask: Ask) -> None:
    one, _, three = write_chats(driver)
    driver.window.sidebar.delete_asked.emit((one, three))
    driver.window.deletion.finish()
    driver.run(finish())
    assert [each.title for each in ask(lambda store: store.list_conversations()).conversations] == ["two"]


def test_of_several_those_that_cannot_be_deleted_are_listed_again(driver: Driver, ask: Ask) -> None:
    one, two, three = write_chats(driver)
    refuse = f"WHEN OLD.id = '{two}' BEGIN SELECT RAISE(ABORT, 'kept'); END"
    trigger = f"CREATE TRIGGER keep BEFORE DELETE ON conversations {refuse}"
    ask(lambda store: store.connection.execute(trigger))
    driver.window.sidebar.delete_asked.emit((one, two, three))
    driver.window.deletion.finish()
    driver.wait(lambda: listed(driver) == ["three", "two"])


@pytest.mark.parametrize("folder", ["Thesis", ""])
def test_several_are_moved_and_pinned_at_once(driver: Driver, folder: str) -> None:
    ids = write_chats(driver)
    menus = driver.window.sidebar.menus
    menus.folder_asked.emit((ids[0],), "Other")
    driver.wait(lambda: "Other" in {one.folder for one in driver.window.sidebar.model.conversations})
    menus.folder_asked.emit(tuple(ids), folder)
    driver.wait(lambda: {one.folder for one in driver.window.sidebar.model.conversations} == {folder})
    menus.pin_asked.emit(tuple(ids[1:]), True)
    driver.wait(lambda: [one.is_pinned for one in driver.window.sidebar.model.conversations].count(True) == 2)
