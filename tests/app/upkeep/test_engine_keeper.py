"""An engine that stops: what is said, what still works, and its start."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QPushButton

from app.settings.preferences import CacheChoice
from app.upkeep.engine_keeper import stopped_words
from engine.messages import (
    ConversationDeleted,
    DeleteConversation,
    Failed,
    KeepConversations,
    SetCacheLimits,
    StartEngine,
)
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine

FAULT = "The engine failed: no memory. Every reply up to here is kept. Start the engine again."


def stop_engine(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    fake_engine.emit(Failed(fake_engine.submits[-1].request_id, "engine", FAULT))
    fake_engine.emit(Failed(0, "engine", FAULT))
    driver.wait(lambda: bool(starts(driver)))


def starts(driver: Driver) -> list[QPushButton]:
    """The buttons that start the engine, one a chat."""
    buttons = driver.window.findChildren(QPushButton)
    return [button for button in buttons if button.text() == "Start the engine" and not button.isHidden()]


def test_it_is_said_above_every_composer_and_what_is_written_is_kept(driver: Driver, fake_engine: FakeEngine) -> None:
    stop_engine(driver, fake_engine)
    driver.window.workspace.new_tab()
    assert len(starts(driver)) == 2
    driver.type("kept")
    assert driver.tab.composer.field.toPlainText() == "kept"
    assert driver.tab.composer.note.text == "The engine stopped. Start it, then send."
    assert len(fake_engine.submits) == 1


def test_a_start_loads_the_model_and_lets_replies_go_on(driver: Driver, fake_engine: FakeEngine) -> None:
    stop_engine(driver, fake_engine)
    num_loads = len(fake_engine.loads)
    driver.press("Start the engine")
    driver.wait(lambda: not starts(driver) and driver.window.chooser.is_loaded)
    assert StartEngine() in fake_engine.commands
    assert len(fake_engine.loads) == num_loads + 1
    driver.press("Try again")
    driver.wait(lambda: len(fake_engine.submits) == 2)


def test_chats_are_read_and_opened_without_an_engine(driver: Driver, fake_engine: FakeEngine) -> None:
    stop_engine(driver, fake_engine)
    conversation_id = driver.tab.session.conversation_id or ""
    driver.window.workspace.close_tab(0)
    driver.window.workspace.open_chat(conversation_id)
    driver.wait_text("Hello there")
    assert len(starts(driver)) == len(driver.window.workspace.tabs)


def test_a_start_tells_what_was_chosen_and_deleted_without_an_engine_and_which_chats_there_are(
    driver: Driver, fake_engine: FakeEngine
) -> None:
    driver.run(driver.window.cache_keeper.keep_all())
    stop_engine(driver, fake_engine)
    settings = driver.window.settings
    settings.change(replace(settings.preferences, cache=CacheChoice(budget_bytes=7_000_000_000)))
    fake_engine.answers_on_cache = False
    driver.window.cache_keeper.remove_later("gone")
    fake_engine.emit(ConversationDeleted("gone", FAULT))
    driver.run(settle())
    fake_engine.commands.clear()
    driver.press("Start the engine")
    driver.wait(lambda: any(isinstance(one, KeepConversations) for one in fake_engine.commands))
    assert SetCacheLimits(budget_bytes=7_000_000_000) in fake_engine.commands
    assert DeleteConversation("gone") in fake_engine.commands
    fake_engine.emit(ConversationDeleted("gone"))
    driver.run(settle())
    driver.window.cache_keeper.tell_again()
    assert fake_engine.commands.count(DeleteConversation("gone")) == 1


def test_the_words_count_the_replies_that_can_go_on() -> None:
    assert stopped_words(0.0, 0).endswith("Every chat is saved.")
    assert stopped_words(0.0, 1).endswith("Every chat is saved; one reply can be continued.")
    assert stopped_words(0.0, 2).endswith("Every chat is saved; two replies can be continued.")
