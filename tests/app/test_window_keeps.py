"""Nothing that was written is lost, and nothing fails in silence."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication, QLabel, QMenu

from app.chat.draft import Draft
from app.chat.notes import NoteBar
from app.chat.tab import ChatTab
from app.conversations.database import Database
from app.conversations.records import Conversation, Message, ReplyState
from app.conversations.store import Store
from app.tabs.open_tabs import OpenTab, OpenTabs, write_open_tabs
from engine.messages import Failed, Finished, Notice
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine


def alert_of(tab: ChatTab) -> str:
    return " ".join(bar.text for bar in tab.findChildren(NoteBar) if not bar.isHidden() and bar.parent() is tab)


def test_a_follow_up_of_a_closed_tab_comes_back_when_the_chat_is_opened(
    driver: Driver, fake_engine: FakeEngine
) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    conversation_id = driver.tab.session.conversation_id or ""
    driver.type("two")
    driver.window.workspace.close_tab(0)
    fake_engine.emit(Finished(fake_engine.submits[0].request_id, "stop"))
    driver.wait(lambda: driver.window.workspace.marks == {conversation_id: "unread"})
    assert driver.tab.composer.unsent() == ()
    driver.window.workspace.open_chat(conversation_id)
    driver.wait(lambda: driver.tab.composer.field.toPlainText() == "two")
    assert len(fake_engine.submits) == 1


def test_a_closed_window_keeps_what_waits_and_what_is_written(
    make_driver: Callable[[], Driver], fake_engine: FakeEngine
) -> None:
    driver = make_driver()
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.type("two")
    driver.tab.composer.field.setPlainText("three")
    driver.window.workspace.new_tab().composer.field.setPlainText("of a new chat")
    driver.window.leave()
    fake_engine.emit(Finished(fake_engine.submits[0].request_id, "stop"))
    driver.wait(lambda: not driver.window.workspace.busy_sessions)
    again = make_driver()
    assert [tab.composer.unsent() for tab in again.window.workspace.tabs] == [
        (Draft("two"), Draft("three")),
        (Draft("of a new chat"),),
    ]
    assert len(fake_engine.submits) == 1


@pytest.mark.parametrize("text", ["\0list the files", "one\x1b[31m", "\ud83d half"])
def test_a_chat_that_begins_with_a_control_stays_in_the_list(driver: Driver, text: str) -> None:
    driver.tab.send(Draft(text))
    driver.wait_idle()
    conversation_id = driver.tab.session.conversation_id or ""
    model = driver.window.sidebar.model
    driver.wait(lambda: model.index_of(conversation_id).isValid())
    assert model.index_of(conversation_id).data().isprintable()


def test_quick_presses_open_one_tab(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.wait(lambda: driver.window.sidebar.model.rowCount() == 2)
    driver.window.workspace.close_tab(0)
    chats = driver.window.sidebar.list
    place = chats.visualRect(driver.window.sidebar.model.index(1)).center()
    for _ in range(2):
        driver.qtbot.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=place)
    driver.wait(lambda: driver.tab.title == "one")
    driver.run(settle())
    assert [tab.title for tab in driver.window.workspace.tabs] == ["one"]


def test_what_goes_wrong_unexpectedly_is_told_and_gives_the_text_back(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(store: Store, message: Message) -> None:
        raise ValueError("out of range")

    monkeypatch.setattr(Store, "add_message", fail)
    driver.type("one")
    driver.wait(lambda: driver.tab.composer.field.toPlainText() == "one")
    driver.wait(lambda: "out of range" in alert_of(driver.tab))
    assert not driver.tab.session.is_busy
    caplog.clear()


def test_a_chat_made_with_another_model_goes_on_with_the_windows(
    make_driver: Callable[[], Driver], fake_engine: FakeEngine, data_dir: Path, ask: Callable[..., Any]
) -> None:
    reply = Message("r", "c", "u", "assistant", "Hello", (1,), "other", ReplyState.STOPPED, model="/models/gone")
    ask(lambda store: store.create_conversation(Conversation("c", "one", "/models/gone", "ngram", 1.0, 1.0)))
    ask(lambda store: store.add_message(Message("u", "c", None, "user", "one")))
    ask(lambda store: store.add_message(reply))
    write_open_tabs(data_dir, OpenTabs((OpenTab("c"),)))
    driver = make_driver()
    driver.press("Continue this reply")
    driver.wait(lambda: driver.tab.session.messages[-1].state is ReplyState.COMPLETE)
    assert driver.tab.session.messages[-1].notices == ("tiny goes on where gone ended.",)
    driver.wait_text("tiny goes on where gone ended.")
    driver.type("two")
    driver.wait_idle(4)
    assert [submit.target for submit in fake_engine.submits] == ["/models/tiny"] * 2


def test_a_chat_that_cannot_be_opened_is_told(driver: Driver) -> None:
    driver.window.workspace.open_chat("nowhere")
    driver.wait(lambda: "no longer there" in alert_of(driver.tab))
    assert len(driver.window.workspace.tabs) == 1


def test_a_saved_tab_that_cannot_be_opened_is_told_at_the_start(
    make_driver: Callable[[], Driver], data_dir: Path
) -> None:
    write_open_tabs(data_dir, OpenTabs((OpenTab("nowhere"),)))
    assert "no longer there" in alert_of(make_driver().tab)


def test_a_follow_up_is_not_sent_on_top_of_a_failed_reply(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.type("two")
    fake_engine.emit(Failed(fake_engine.submits[0].request_id, "engine", "no memory"))
    driver.wait_idle()
    assert driver.tab.composer.unsent() == (Draft("two"),)
    assert len(fake_engine.submits) == 1


@pytest.mark.parametrize("is_saved", [True, False])
def test_a_tab_closed_while_its_message_is_saved_loses_nothing(
    driver: Driver, ask: Callable[..., Any], database: Database, fake_engine: FakeEngine, is_saved: bool
) -> None:
    if not is_saved:
        ask(lambda store: store.connection.execute("PRAGMA query_only = ON"))
    held = threading.Event()
    database.run(lambda store: held.wait(5))
    driver.type("one")
    driver.wait(lambda: driver.tab.session.is_busy)
    driver.window.workspace.close_tab(0)
    driver.run(settle())
    held.set()
    driver.wait(lambda: not driver.window.workspace.busy_sessions)
    driver.run(settle())
    assert len(fake_engine.submits) == is_saved
    assert driver.window.workspace.new_tab().composer.unsent() == (() if is_saved else (Draft("one"),))


def test_the_menu_of_the_window_goes_when_it_closes(driver: Driver) -> None:
    def count() -> int:
        return len(driver.window.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly))

    before = count()
    for _ in range(3):
        driver.window.actions_of_window.pop_up(driver.window.workspace.row.menu_button)
        active = QApplication.activePopupWidget()
        assert active is not None
        active.close()
    driver.run(settle())
    assert count() == before


def test_a_title_is_shown_as_it_was_written_in_tooltips(driver: Driver) -> None:
    driver.type("<b>bold</b>")
    driver.wait_idle()
    driver.wait(lambda: driver.window.sidebar.model.rowCount() == 2)
    tips = [
        driver.window.workspace.row.bar.tabToolTip(0),
        driver.window.sidebar.model.index(1).data(Qt.ItemDataRole.ToolTipRole),
    ]
    for tip in tips:
        shown = QTextDocument()
        shown.setHtml(tip)
        assert shown.toPlainText() == "<b>bold</b>"


@pytest.mark.parametrize("is_early", [True, False])
def test_what_befalls_the_prompt_cache_is_a_quiet_note_above_the_composer(
    make_driver: Callable[[], Driver], fake_engine: FakeEngine, is_early: bool
) -> None:
    full = Notice(0, "cache", "The disk is full, so prompts are not saved.")
    if is_early:
        fake_engine.emit(full)
    driver = make_driver()
    if not is_early:
        fake_engine.emit(full)
    driver.wait(lambda: alert_of(driver.tab) == full.text)
    (bar,) = (bar for bar in driver.tab.findChildren(NoteBar) if bar.text == full.text)
    assert [label.property("kind") for label in bar.findChildren(QLabel)] == ["secondary"]
    driver.press("Close this note")
    fake_engine.emit(full)
    driver.run(settle())
    assert alert_of(driver.tab) == ""


def test_the_chat_used_last_is_shown_again_whatever_page_was_in_front(make_driver: Callable[[], Driver]) -> None:
    driver = make_driver()
    for words in ("one", "two"):
        driver.window.workspace.new_tab()
        driver.type(words)
        driver.wait_idle()
    driver.window.workspace.new_tab()
    driver.window.importer.show_page()
    driver.window.leave()
    assert make_driver().tab.title == "two"
