"""What is done to messages where they stand, in a real window."""

import json

import pytest
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from app.chat.attachments_view import AttachmentView
from app.chat.checking import Check
from app.chat.notes import Action, NoteBar
from app.chat.tab_checks import report_of
from app.conversations.records import Message, ReplyState
from engine.messages import Finished, ForgetConversation, RememberReplies
from tests.app.fake_engine import deltas_of


@pytest.fixture
def act(driver):
    """Do something to a message of the tab, by its place."""

    def act(action, place):
        driver.tab.transcript.action_chosen.emit(action, driver.tab.session.messages[place].id)

    return act


def texts_of(driver):
    return [message.text for message in driver.tab.session.messages]


def said(driver):
    """The sentences above the composer, the latest first."""
    return [bar.text for bar in driver.tab.findChildren(NoteBar) if bar.parent() is driver.tab and bar.isVisible()]


def say(driver, *texts):
    for text in texts:
        num_messages = len(driver.tab.session.messages) + 2
        driver.type(text)
        driver.wait_idle(num_messages)


def test_edited_message_begins_a_branch_that_the_switcher_leaves_again(driver, act):
    say(driver, "One", "Two")
    act(Action.EDIT, 0)
    assert driver.tab.composer.field.toPlainText() == "One"
    driver.type("Uno")
    driver.wait(lambda: texts_of(driver) == ["Uno", "Hello there"])
    driver.wait_idle()
    assert "Two" not in driver.text
    act(Action.PREVIOUS, 0)
    driver.wait(lambda: len(texts_of(driver)) == 4)
    assert "Uno" not in driver.text
    assert "Two" in driver.text


def test_edit_while_a_reply_runs_stops_it_first(driver, act, fake_engine):
    fake_engine.ending = None
    driver.type("One")
    driver.wait_text("Hello there")
    fake_engine.ending = Finished(0, "stop")
    act(Action.EDIT, 0)
    driver.type("Uno")
    driver.wait(lambda: texts_of(driver) == ["Uno", "Hello there"])
    driver.wait_idle()
    act(Action.PREVIOUS, 0)
    driver.wait(lambda: driver.tab.session.messages[-1].state is ReplyState.STOPPED)
    assert driver.tab.composer.draft.text == ""


def test_branch_that_is_begun_can_be_left_before_anything_is_sent(driver, act):
    say(driver, "One", "Two")
    act(Action.BRANCH, 1)
    driver.wait(lambda: said(driver) == ["What you send next begins a branch here."])
    assert "Two" not in driver.text
    driver.press("Go back to the messages that followed")
    assert "Two" in driver.text
    assert said(driver) == []
    assert driver.tab.composer.field.hasFocus()


def test_what_is_sent_in_a_branch_ends_the_way_back(driver, act):
    say(driver, "One", "Two")
    act(Action.BRANCH, 1)
    driver.wait(lambda: len(texts_of(driver)) == 2)
    say(driver, "Zwei")
    assert said(driver) == []
    assert texts_of(driver) == ["One", "Hello there", "Zwei", "Hello there"]


def test_deleted_messages_come_back_with_undo(driver, act):
    say(driver, "One", "Two")
    act(Action.DELETE_FROM, 2)
    driver.wait(lambda: said(driver) == ["Deleted 2\u00a0messages."])
    assert "Two" not in driver.text
    driver.press("Undo the deletion")
    driver.wait(lambda: len(texts_of(driver)) == 4)
    assert "Two" in driver.text
    assert said(driver) == []


def test_message_whose_reply_was_deleted_can_have_another(driver, act):
    say(driver, "One")
    act(Action.DELETE_FROM, 1)
    driver.wait(lambda: said(driver) == ["Deleted 1\u00a0message.", "This message has no reply."])
    driver.press("Close this note")
    assert said(driver) == ["This message has no reply."]
    driver.press("Write a reply")
    driver.wait(lambda: texts_of(driver) == ["One", "Hello there"])
    assert said(driver) == []


def test_chat_without_messages_shows_the_empty_page(driver, act):
    say(driver, "One")
    act(Action.DELETE_FROM, 0)
    driver.wait(driver.tab.empty.isVisible)


def test_check_says_what_it_found_under_the_reply_in_any_branch(driver, act):
    say(driver, "One")
    act(Action.CHECK, 1)
    driver.wait_text("Checked: the same 2\u00a0tokens without a drafter")
    act(Action.AGAIN, 1)
    driver.wait(lambda: "Checked" not in driver.text)
    driver.wait_idle()
    act(Action.PREVIOUS, 1)
    driver.wait_text("Checked: the same 2\u00a0tokens")


def test_reply_that_differs_is_shown_beside_the_other(driver, act, fake_engine):
    say(driver, "One")
    fake_engine.script = deltas_of("Hello you out")
    act(Action.CHECK, 1)
    driver.wait(lambda: said(driver) == ["Without a drafter the reply differs from token 3 on."])
    driver.press("Show both replies")
    (view,) = driver.window.findChildren(AttachmentView)
    assert "With the drafter n-gram:\n\nHello there" in view.text.toPlainText()
    assert "Without a drafter:\n\nHello you out" in view.text.toPlainText()
    view.close()


def test_report_of_a_check_has_the_tokens_around_the_difference_alone(tmp_path):
    reply = Message("r", "c", None, "assistant", "secret", tuple(range(100)), drafter="ngram", seed=7)
    check = Check("r", "Differs.", is_different=True, text="secret", token_ids=(*range(50), 9), num_same=50)
    report = json.loads(report_of(reply, check))
    assert report["with_drafter"] == list(range(34, 66))
    assert report["without_drafter"] == [*range(34, 50), 9]
    assert "secret" not in json.dumps(report)


def test_screen_reader_is_told_when_a_reply_begins_and_ends(driver, monkeypatch):
    told = []
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: told.append(event))
    say(driver, "One")
    words = [event.message() for event in told if isinstance(event, QAccessibleAnnouncementEvent)]
    assert words[0] == "Reply started."
    assert words[1].startswith("Reply finished, 2\u00a0tokens, ")


def test_keys_reach_the_last_message_and_the_last_branch(driver):
    say(driver, "One")
    actions = driver.tab.actions_on_messages
    actions.write_again()
    driver.wait(lambda: driver.tab.session.siblings)
    driver.wait_idle()
    second = driver.tab.session.messages[-1].id
    actions.step_branch(-1)
    driver.wait(lambda: driver.tab.session.messages[-1].id != second)
    actions.edit_last()
    assert driver.tab.composer.field.toPlainText() == "One"


def test_oldest_turns_are_left_out_where_that_is_asked_for_and_taken_in_again(driver, act, fake_engine):
    say(driver, "One", "Two")
    driver.tab.composer.leave_out_asked.emit(2)
    words = "The oldest 2\u00a0messages are left out of the prompt, from the next message on."
    assert said(driver) == [words]
    say(driver, "Three")
    assert said(driver) == []
    assert [turn.text for turn in fake_engine.submits[-1].turns] == ["Two", "Hello there", "Three"]
    words = "The 2 messages above are left out of the prompt."
    assert words in driver.text.replace("\u00a0", " ")
    act(Action.INCLUDE, 0)
    driver.wait(lambda: words not in driver.text.replace("\u00a0", " "))
    say(driver, "Four")
    assert len(fake_engine.submits[-1].turns) == 7


def test_o46_three_replies_come_to_their_ends_while_tabs_are_switched(driver, fake_engine):
    fake_engine.script = deltas_of(" ".join(str(number) for number in range(100)))
    fake_engine.delay_seconds = 0.005
    workspace = driver.window.workspace
    for text in ("One", "Two", "Three"):
        driver.type(text)
        driver.wait(lambda: driver.tab.session.messages)
        workspace.new_tab()
    for place in range(12):
        workspace.row.bar.setCurrentIndex(place % 4)
        driver.qtbot.wait(50)
    workspace.row.bar.setCurrentIndex(3)
    driver.wait(lambda: not workspace.busy_sessions)
    for tab, text in zip(workspace.tabs, ("One", "Two", "Three"), strict=False):
        assert [message.text for message in tab.session.messages] == [text, " ".join(map(str, range(100)))]
        assert tab.session.messages[1].text in tab.transcript.plain_text()


def test_drafters_forget_deleted_messages_once_they_cannot_come_back(driver, act, fake_engine, monkeypatch):
    monkeypatch.setattr("app.chat.session_branches.UNDO_MILLISECONDS", 50)
    say(driver, "One", "Two")
    conversation_id = driver.tab.session.conversation_id
    forget = ForgetConversation(conversation_id)
    act(Action.DELETE_FROM, 2)
    driver.wait(lambda: len(texts_of(driver)) == 2)
    assert forget not in fake_engine.commands
    left = RememberReplies("/models/tiny", ((conversation_id, (1, 2)),))
    driver.wait(lambda: left in fake_engine.commands)
    assert fake_engine.commands.index(forget) < fake_engine.commands.index(left)
