"""Deleting a chat, as the window does it, and having it back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton

from app.chat.draft import Draft
from app.conversations.records import ReplyState
from app.conversations.store import Store
from app.tasks import finish
from engine.messages import (
    Cancel,
    Command,
    ConversationDeleted,
    DeleteConversation,
    Delta,
    DescribeMemory,
    ForgetConversation,
    Question,
    RememberReplies,
    Statistics,
)
from tests.app.conversations.saved_replies import save_reply
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine

Ask = Callable[[Callable[[Store], Any]], Any]


def delete_open_chat(driver: Driver) -> str:
    """Delete the chat of the current tab from the sidebar."""
    conversation_id = driver.tab.session.conversation_id or ""
    driver.wait(lambda: driver.window.sidebar.model.index_of(conversation_id).isValid())
    driver.window.sidebar.delete_asked.emit((conversation_id,))
    assert not driver.window.sidebar.model.index_of(conversation_id).isValid()
    return conversation_id


def undo(driver: Driver) -> None:
    (button,) = driver.window.sidebar.undo_note.findChildren(QPushButton)
    button.click()


def last_deed(engine: FakeEngine) -> Command:
    """The last command that asks for something to be done: parts of the window ask questions at any time."""
    return next(one for one in reversed(engine.commands) if not isinstance(one, Question | DescribeMemory))


def saved_ids(ask: Ask) -> list[str]:
    return [one.id for one in ask(lambda store: store.list_conversations()).conversations]


def test_a_deleted_chat_is_had_back_as_it_was(driver: Driver, ask: Ask) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.tab.composer.field.setPlainText("not sent")
    conversation_id = delete_open_chat(driver)
    assert driver.tab.is_empty
    assert driver.window.sidebar.undo_note.text == "Deleted “one”."
    assert saved_ids(ask) == [conversation_id]
    undo(driver)
    driver.wait(lambda: driver.tab.title == "one")
    assert driver.tab.composer.field.toPlainText() == "not sent"
    assert "Hello there" in driver.text
    assert driver.window.sidebar.model.index_of(conversation_id).isValid()
    assert driver.window.sidebar.undo_note.isHidden()
    assert len(driver.window.workspace.tabs) == 1


def test_a_chat_had_back_that_had_no_tab_opens_none(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    conversation_id = driver.tab.session.conversation_id or ""
    driver.window.workspace.close_tab(0)
    driver.wait(lambda: driver.window.sidebar.model.index_of(conversation_id).isValid())
    driver.window.sidebar.delete_asked.emit((conversation_id,))
    undo(driver)
    driver.run(finish())
    assert driver.tab.is_empty


def test_a_deleted_chat_is_gone_when_the_offer_ends(
    make_driver: Callable[[], Driver], ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.conversations.deletion.UNDO_MILLISECONDS", 200)
    driver = make_driver()
    driver.type("one")
    driver.wait_idle()
    conversation_id = delete_open_chat(driver)
    assert saved_ids(ask) == [conversation_id]
    driver.wait(driver.window.sidebar.undo_note.isHidden)
    driver.run(finish())
    assert saved_ids(ask) == []


def test_a_window_closed_while_a_chat_is_offered_back_deletes_it(driver: Driver, ask: Ask) -> None:
    driver.type("one")
    driver.wait_idle()
    delete_open_chat(driver)
    driver.window.leave()
    driver.run(finish())
    assert saved_ids(ask) == []


def test_the_next_deletion_ends_the_offer_of_the_last(driver: Driver, ask: Ask) -> None:
    driver.type("one")
    driver.wait_idle()
    delete_open_chat(driver)
    driver.type("two")
    driver.wait_idle()
    second = delete_open_chat(driver)
    driver.run(finish())
    assert saved_ids(ask) == [second]
    undo(driver)
    driver.wait(lambda: driver.tab.title == "two")


def test_deleting_in_mid_reply_stops_it_and_keeps_what_came(driver: Driver, fake_engine: FakeEngine, ask: Ask) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.type("two")
    conversation_id = delete_open_chat(driver)
    assert ForgetConversation(conversation_id) in fake_engine.commands
    assert last_deed(fake_engine) == Cancel(fake_engine.submits[0].request_id)
    driver.wait(lambda: not driver.window.workspace.busy_sessions)
    assert driver.window.workspace.marks == {}
    undo(driver)
    driver.wait(lambda: driver.tab.title == "one")
    reply = driver.tab.session.messages[-1]
    assert (reply.text, reply.state) == ("Hello there", ReplyState.STOPPED)
    assert driver.tab.composer.unsent() == (Draft("two"),)
    assert len(fake_engine.submits) == 1


def test_o45_a_chat_deleted_in_mid_reply_leaves_no_trace(driver: Driver, fake_engine: FakeEngine, ask: Ask) -> None:
    fake_engine.ending, fake_engine.answers_on_cache = None, False
    driver.type("one")
    driver.wait_text("Hello there")
    conversation_id = delete_open_chat(driver)
    driver.type("two")  # in another tab
    driver.wait_text("Hello there")
    gone = DeleteConversation(conversation_id)
    assert Cancel(fake_engine.submits[0].request_id) in fake_engine.commands
    assert gone not in fake_engine.commands  # while it may be had back
    driver.window.deletion.finish()
    driver.wait(lambda: gone in fake_engine.commands)
    assert conversation_id in saved_ids(ask)  # until the engine has removed what it saved
    fake_engine.emit(ConversationDeleted(conversation_id))
    driver.run(finish())
    assert conversation_id not in saved_ids(ask)
    assert last_deed(fake_engine) == gone  # a message that was sent meanwhile may have been cached
    fake_engine.emit(Delta(fake_engine.submits[0].request_id, "late", (9,), 0, Statistics(num_tokens=9)))
    fake_engine.emit(Delta(fake_engine.submits[1].request_id, " and on", (3,), 0, Statistics(num_tokens=3)))
    driver.wait_text("Hello there and on")
    left = ask(lambda store: store.connection.execute("SELECT DISTINCT conversation_id FROM messages").fetchall())
    assert [tuple(row) for row in left] == [(driver.tab.session.conversation_id,)]


def test_a_window_closed_over_an_engine_that_does_not_answer_deletes_the_chat_after_a_while(
    driver: Driver, fake_engine: FakeEngine, ask: Ask, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("app.conversations.cache_keeper.REMOVAL_SECONDS", 0.05)
    fake_engine.answers_on_cache = False
    driver.type("one")
    driver.wait_idle()
    conversation_id = delete_open_chat(driver)
    driver.window.leave()
    driver.run(finish())
    assert DeleteConversation(conversation_id) in fake_engine.commands
    assert saved_ids(ask) == []
    caplog.clear()


def test_drafters_forget_a_deleted_chat_at_once_and_learn_it_again(
    make_driver: Callable[[], Driver], fake_engine: FakeEngine, ask: Ask
) -> None:
    ask(lambda store: save_reply(store, "a", (1, 2)))
    driver = make_driver()
    whole = RememberReplies("/models/tiny", (("a", (1, 2)),))
    driver.wait(lambda: whole in fake_engine.commands)
    driver.window.sidebar.delete_asked.emit(("a",))
    assert last_deed(fake_engine) == ForgetConversation("a")
    undo(driver)
    driver.wait(lambda: last_deed(fake_engine) == whole)


def test_a_chat_that_cannot_be_deleted_comes_back_with_a_sentence(
    driver: Driver, fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(store: Store, conversation_id: str) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(Store, "delete_conversation", fail)
    troubles: list[str] = []
    driver.window.catalogue.trouble.connect(troubles.append)
    driver.type("one")
    driver.wait_idle()
    conversation_id = delete_open_chat(driver)
    driver.window.deletion.finish()
    driver.wait(lambda: driver.tab.title == "one")
    assert troubles[0].startswith("The conversation could not be deleted.")
    assert driver.window.sidebar.model.index_of(conversation_id).isValid()
    driver.wait(lambda: isinstance(last_deed(fake_engine), RememberReplies))
