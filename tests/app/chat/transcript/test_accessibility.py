"""A screen reader: a list with one item a message, its blocks and its buttons in it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QApplication

from app.chat.transcript import Transcript
from app.conversations.records import ReplyState
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from tests.app.chat.transcripts import NUMBERS, delta, long_chat, message, start_reply


def node_of(transcript: Transcript) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(transcript)


def names_in(node: QAccessibleInterface) -> list[str]:
    return [node.child(place).text(QAccessible.Text.Name) for place in range(node.childCount())]


def test_every_message_is_an_item_of_a_list(transcript: Transcript) -> None:
    stopped = replace(message("assistant", "So.", ReplyState.STOPPED, number=2), token_ids=tuple(range(212)))
    transcript.show_messages([message("user", "Why?"), stopped])
    node = node_of(transcript)
    assert node.role() == QAccessible.Role.List
    assert node.child(1).role() == QAccessible.Role.ListItem
    assert names_in(node) == ["You: Why?", "Reply, stopped after 212\u00a0tokens: So."]


def test_a_reply_that_runs_says_so_and_not_its_text(transcript: Transcript) -> None:
    start_reply(transcript)
    transcript.extend(delta("Ice"))
    transcript.flush()
    assert names_in(node_of(transcript))[1] == "Reply, running"
    assert node_of(transcript).child(1).state().busy


def test_blocks_and_buttons_stand_in_their_message(transcript: Transcript) -> None:
    reply = replace(message("assistant", "Ice *floats*.\n\nWell.", number=2), statistics=NUMBERS)
    transcript.show_messages([message("user", "Why?"), reply])
    names = names_in(node_of(transcript).child(1))
    assert names[:3] == ["Ice floats.", "Well.", "Statistics: 50 tokens per second"]
    assert "Copy this message" in names


def test_items_of_messages_that_went_are_dropped(transcript: Transcript) -> None:
    transcript.show_messages(long_chat(3))
    assert len(names_in(node_of(transcript))) == 6
    transcript.show_messages([message("user", "Other?")])
    assert names_in(node_of(transcript)) == ["You: Other?"]


def test_what_a_screen_reader_was_given_goes_with_the_transcript(theme: Theme) -> None:
    transcript = Transcript(theme, Pulse())
    transcript.show_messages(long_chat(2))
    transcript.settle()
    for place in range(4):
        item = node_of(transcript).child(place)
        known = [QAccessible.uniqueId(node) for node in (item, item.child(0))]
        assert all(QAccessible.accessibleInterface(number) for number in known)
    transcript.deleteLater()
    QApplication.sendPostedEvents(transcript, QEvent.Type.DeferredDelete)
    assert not any(QAccessible.accessibleInterface(number) for number in known)


def test_items_of_what_went_answer_that_they_are_nowhere(transcript: Transcript) -> None:
    reply = message("assistant", "one\n\ntwo\n\nthree", number=2)
    transcript.show_messages([message("user", "Why?"), reply, message("user", "And?", number=3)])
    gone = node_of(transcript).child(2)
    block = node_of(transcript).child(1).child(2)
    assert gone.isValid()
    assert block.isValid()
    transcript.show_messages([message("user", "Why?"), reply])
    transcript.change(message("assistant", "one", number=2))
    assert (gone.isValid(), gone.rect()) == (False, QRect())
    assert (block.isValid(), block.rect()) == (False, QRect())
