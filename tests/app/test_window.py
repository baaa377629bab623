"""The window as a user meets it, over the scripted engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel

from app.conversations.records import Conversation, Message, ReplyState
from app.tabs.open_tabs import OpenTab, OpenTabs, read_open_tabs, write_open_tabs
from engine.messages import Cancel, Failed, Finished, LoadModel, Progress
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine, deltas_of


def test_the_model_loads_behind_the_open_window(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.wait(lambda: driver.window.sidebar.footer.words[0] == "Ready")
    assert [command.target for command in fake_engine.commands if isinstance(command, LoadModel)] == ["/models/tiny"]
    assert driver.tab.composer.foot.model_chip.accessibleName() == "Model: tiny 4-bit"


def test_what_is_typed_is_submitted_with_its_drafter_and_answered(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.type("Why does ice float?")
    driver.wait_idle()
    driver.wait_text("Hello there")
    (submit,) = fake_engine.submits
    assert [turn.text for turn in submit.turns] == ["Why does ice float?"]
    assert (submit.target, submit.drafter) == ("/models/tiny", "ngram")
    assert driver.tab.title == "Why does ice float?"


def test_stop_cancels_and_keeps_what_came_and_continue_goes_on(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("Count")
    driver.wait_text("Hello there")
    driver.press("Stop this reply")
    driver.wait_idle()
    assert any(isinstance(command, Cancel) for command in fake_engine.commands)
    assert driver.tab.session.messages[-1].state is ReplyState.STOPPED
    fake_engine.script, fake_engine.ending = deltas_of(" my friend"), Finished(0, "stop")
    driver.press("Continue this reply")
    driver.wait(lambda: driver.tab.session.messages[-1].state is ReplyState.COMPLETE)
    assert "Hello there my friend" in driver.text.replace("  ", " ")
    assert len(fake_engine.submits) == 2


def test_two_tabs_stream_at_once_and_keep_apart(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.script, fake_engine.ending = deltas_of("first answer"), None
    driver.type("one")
    driver.wait_text("first answer")
    first = driver.tab
    driver.window.workspace.new_tab()
    fake_engine.script = deltas_of("second answer")
    driver.type("two")
    driver.wait_text("second answer")
    assert driver.window.sidebar.footer.words[0] == "2\u00a0replies running"
    assert "first answer" not in driver.text
    driver.window.workspace.step(-1)
    assert driver.tab is first
    assert "first answer" in driver.text
    assert [tab.mark for tab in driver.window.workspace.tabs] == ["running", "running"]
    for tab in driver.window.workspace.tabs:
        tab.stop()
    driver.wait(lambda: not driver.window.workspace.busy_sessions)


def test_a_reply_that_ends_unseen_is_marked_until_it_is_seen(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    first = driver.tab
    driver.window.workspace.new_tab()
    first.stop()
    driver.wait(lambda: first.mark == "unread")
    driver.window.workspace.step(-1)
    assert first.mark == ""


def test_the_drafter_picker_acts_on_the_next_reply(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.tab.session.choose_drafter("none")
    driver.type("two")
    driver.wait_idle(4)
    assert [submit.drafter for submit in fake_engine.submits] == ["ngram", "none"]


def test_closing_a_running_tab_lets_the_reply_go_on(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    conversation_id = driver.tab.session.conversation_id
    request_id = fake_engine.submits[0].request_id
    driver.window.workspace.close_tab(0)
    assert Cancel(request_id) not in fake_engine.commands
    assert driver.window.workspace.marks == {conversation_id: "running"}
    fake_engine.emit(Finished(request_id, "stop"))
    driver.wait(lambda: driver.window.workspace.marks == {conversation_id: "unread"})
    assert conversation_id is not None
    driver.window.workspace.open_chat(conversation_id)
    driver.wait_text("Hello there")
    assert driver.window.workspace.marks == {}


def test_the_reply_of_a_closed_tab_is_told_of_and_counted_once(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    conversation_id = driver.tab.session.conversation_id
    driver.window.workspace.close_tab(0)
    words = [label.text() for label in driver.tab.findChildren(QLabel) if label.isVisible()]
    assert any("goes on" in text for text in words)
    assert driver.tab.composer.field.hasFocus()
    driver.window.workspace.open_chat(conversation_id or "")
    driver.wait_text("Hello there")
    assert len(driver.window.workspace.busy_sessions) == 1


def test_a_follow_up_waits_for_the_end_of_the_reply(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = None
    driver.type("one")
    driver.wait_text("Hello there")
    driver.type("two")
    assert len(fake_engine.submits) == 1
    fake_engine.ending = Finished(0, "stop")
    fake_engine.emit(Finished(fake_engine.submits[0].request_id, "stop"))
    driver.wait_idle(4)
    assert [submit.turns[-1].text for submit in fake_engine.submits] == ["one", "two"]


def test_a_failed_reply_says_why_and_can_be_tried_again(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.script, fake_engine.ending = [], Failed(0, "context", "the prompt is too long")
    driver.type("one")
    driver.wait_idle()
    fake_engine.script, fake_engine.ending = deltas_of("better"), Finished(0, "stop")
    driver.press("Try again")
    driver.wait_text("better")


def test_a_model_that_cannot_be_loaded_is_named_above_the_composer(driver: Driver, fake_engine: FakeEngine) -> None:
    request_id = next(command.request_id for command in fake_engine.commands if isinstance(command, LoadModel))
    driver.wait(lambda: driver.window.chooser.facts is not None)
    fake_engine.emit(Failed(request_id, "model", "the folder has no config.json"))
    driver.wait(lambda: driver.window.chooser.error != "")
    assert driver.window.sidebar.footer.words[0] == "Not ready"
    driver.press("Try again")
    driver.wait(lambda: len([one for one in fake_engine.commands if isinstance(one, LoadModel)]) == 2)


def test_reading_is_shown_before_the_first_token(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.script, fake_engine.ending = [Progress(0, "reading", 100, 200)], None
    driver.type("one")
    driver.wait(lambda: driver.tab.transcript.last is not None and driver.tab.transcript.last.progress is not None)
    driver.tab.stop()
    driver.wait_idle()
    assert driver.tab.transcript.last is not None
    assert driver.tab.transcript.last.progress is None


def test_open_tabs_come_back_with_a_reply_that_was_cut_off(
    make_driver: Callable[[], Driver], fake_engine: FakeEngine, data_dir: Path, ask: Callable[..., Any]
) -> None:
    reply = Message("r", "c", "u", "assistant", "Hello", (1,), "tokenizer-1", ReplyState.RUNNING, model="/models/tiny")
    ask(lambda store: store.create_conversation(Conversation("c", "one", "/models/tiny", "ngram", 1.0, 1.0)))
    ask(lambda store: store.add_message(Message("u", "c", None, "user", "one")))
    ask(lambda store: store.add_message(reply))
    ask(lambda store: store.mark_cut_off())
    write_open_tabs(data_dir, OpenTabs((OpenTab("c"),)))
    driver = make_driver()
    driver.wait_text("Hello")
    assert [tab.title for tab in driver.window.workspace.tabs] == ["one"]
    fake_engine.script = deltas_of(" again")
    driver.press("Continue this reply")
    driver.wait_text("Hello again")
    (submit,) = fake_engine.submits
    assert submit.turns[-1].token_ids == (1,)


def test_the_tabs_of_the_last_time_come_back(make_driver: Callable[[], Driver]) -> None:
    driver = make_driver()
    driver.type("one")
    driver.wait_idle()
    driver.window.workspace.new_tab()
    driver.type("two")
    driver.wait_idle()
    driver.run(settle())
    again = make_driver()
    assert [tab.title for tab in again.window.workspace.tabs] == ["one", "two"]
    assert again.tab.title == "two"


def test_a_chat_is_renamed_and_deleted_from_the_sidebar(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    model = driver.window.sidebar.model
    conversation_id = driver.tab.session.conversation_id or ""
    driver.wait(lambda: model.index_of(conversation_id).isValid())
    model.setData(model.index_of(conversation_id), "Renamed")
    driver.wait(lambda: driver.tab.title == "Renamed")
    driver.wait(lambda: model.index_of(conversation_id).data() == "Renamed")
    driver.window.sidebar.delete_asked.emit((conversation_id,))
    driver.wait(lambda: model.rowCount() == 0)
    assert driver.tab.is_empty


def test_a_narrow_window_closes_the_sidebar_and_lays_it_over(driver: Driver) -> None:
    driver.window.resize(1000, 700)
    assert driver.window.sidebar.isVisible()
    driver.window.resize(480, 560)
    assert not driver.window.sidebar.isVisible()
    driver.window.shell.toggle_sidebar()
    assert driver.window.sidebar.isVisible()
    assert driver.window.workspace.width() == 480


def test_tabs_that_do_not_fit_are_behind_one_button(driver: Driver) -> None:
    for text in ("one", "two", "three"):
        driver.type(text)
        driver.wait_idle()
        driver.window.workspace.new_tab()
    driver.window.resize(480, 560)
    driver.run(settle())
    row = driver.window.workspace.row
    assert row.more_button.isVisible()
    assert sum(row.bar.isTabVisible(index) for index in range(row.bar.count())) == 1
    assert row.bar.isTabVisible(row.bar.currentIndex())


def test_every_button_has_a_name(driver: Driver) -> None:
    for button in driver.window.findChildren(QAbstractButton):
        assert button.accessibleName(), button


def test_shortcuts_open_close_and_step(driver: Driver) -> None:
    driver.type("one")
    driver.wait_idle()
    actions = driver.window.actions_of_window
    actions.new.trigger()
    assert len(driver.window.workspace.tabs) == 2
    actions.close.trigger()
    assert len(driver.window.workspace.tabs) == 1
    assert not driver.tab.is_empty


def test_the_list_of_open_tabs_survives_garbage(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert read_open_tabs(tmp_path) == OpenTabs()
    tabs = OpenTabs((OpenTab("a"), OpenTab(page="model")), 1)
    write_open_tabs(tmp_path, tabs)
    assert read_open_tabs(tmp_path) == tabs
    (tmp_path / "open-tabs.json").write_text("[1")
    assert read_open_tabs(tmp_path) == OpenTabs()
    assert "not read" in caplog.text
    caplog.clear()
