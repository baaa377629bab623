"""Chats that are deleted and imported again, in any order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.tasks import finish
from engine.messages import ConversationDeleted, DeleteConversation
from tests.app.conversations.importing.chat_files import chatgpt_chat, chatgpt_node
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine


@pytest.fixture
def export_file(tmp_path: Path) -> Path:
    node = chatgpt_node("u", "root", "user", "text")
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([chatgpt_chat(node, conversation_id=name, title=f"Chat {name}") for name in "12"]))
    return path


def import_chats(driver: Driver, path: Path) -> int:
    """How many were imported."""
    found = driver.run(driver.window.catalogue.read_import(path))
    return len(driver.run(driver.window.catalogue.import_chats(found)).conversation_ids)


def listed(driver: Driver) -> list[str]:
    return sorted(one.title for one in driver.window.catalogue.conversations)


@pytest.mark.parametrize("is_over", [True, False])
def test_chat_is_imported_again_before_and_after_its_deletion_is_final(
    driver: Driver, export_file: Path, is_over: bool
) -> None:
    assert import_chats(driver, export_file) == 2
    first = driver.window.catalogue.conversations[0]
    driver.window.deletion.delete((first.id,))
    if is_over:
        driver.window.deletion.finish()
        driver.run(finish())
    assert len(listed(driver)) == 1
    assert import_chats(driver, export_file) == 1
    assert driver.window.deletion.offered_titles == ()
    driver.window.deletion.finish()
    driver.run(finish())
    assert listed(driver) == ["Chat 1", "Chat 2"]


def test_chat_that_was_had_back_is_not_imported_twice(driver: Driver, export_file: Path) -> None:
    import_chats(driver, export_file)
    driver.window.deletion.delete((driver.window.catalogue.conversations[0].id,))
    found = driver.run(driver.window.catalogue.read_import(export_file))
    driver.window.deletion.undo()
    assert driver.run(driver.window.catalogue.import_chats(found)).conversation_ids == ()
    assert listed(driver) == ["Chat 1", "Chat 2"]


def test_prompts_of_many_deleted_chats_are_removed_at_once(
    driver: Driver, export_file: Path, fake_engine: FakeEngine
) -> None:
    import_chats(driver, export_file)
    fake_engine.answers_on_cache = False
    driver.window.deletion.delete([one.id for one in driver.window.catalogue.conversations])
    driver.window.deletion.finish()
    driver.run(settle())
    removals = [command for command in fake_engine.commands if isinstance(command, DeleteConversation)]
    assert len(removals) == 2
    for removal in removals:
        fake_engine.emit(ConversationDeleted(removal.conversation_id))
    driver.run(finish())
    assert listed(driver) == []
