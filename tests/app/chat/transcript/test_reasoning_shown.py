"""Folds, tint and other paths: what a reader opens stays open, and the view stays where it was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.chat.blocks.message import LiveBlocks
from app.chat.transcript import Transcript
from app.chat.transcript.contents import unfolded_chats
from app.chat.transcript.painting import caret_rect
from app.chat.transcript.section import add_span
from app.conversations.records import Message
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from engine.messages import ReasoningTags
from tests.app.chat.transcripts import delta, long_chat, message, start_reply

THOUGHT = "<think>\nIt is about ice.\n</think>\n\nIce floats."


@pytest.fixture(autouse=True)
def _no_choice() -> None:
    unfolded_chats().clear()


def thoughtful(number: int) -> Message:
    return replace(message("assistant", THOUGHT, number=number), thought_seconds=6.0, num_thought=214)


def press_fold(transcript: Transcript, section: int) -> None:
    place = transcript.rect_of_block(section, 0).topLeft().toPoint() + QPoint(30, 12)
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_reasoning_is_folded_until_it_is_opened(transcript: Transcript) -> None:
    transcript.show_messages([thoughtful(1)])
    height = transcript.sections.height
    assert transcript.plain_text() == "Ice floats."
    press_fold(transcript, 0)
    assert transcript.plain_text() == "It is about ice.\n\nIce floats."
    assert transcript.sections.height > height


def test_no_caret_stands_at_the_end_of_what_is_folded(transcript: Transcript) -> None:
    start_reply(transcript)
    transcript.extend(delta("<think>\nIt is about ice."))
    transcript.flush()
    assert caret_rect(transcript.sections[1]).isNull()
    press_fold(transcript, 1)
    assert not caret_rect(transcript.sections[1]).isNull()
    press_fold(transcript, 1)
    transcript.extend(delta("\n</think>\n\nIce"))
    transcript.flush()
    assert not caret_rect(transcript.sections[1]).isNull()


def test_the_choice_holds_for_replies_that_are_read_later(transcript: Transcript) -> None:
    transcript.show_messages([thoughtful(1)])
    press_fold(transcript, 0)
    transcript.add_message(message("user", "And?", number=2))
    transcript.add_message(thoughtful(3))
    assert transcript.plain_text().count("It is about ice.") == 2


def test_the_choice_holds_for_its_chat_until_the_program_ends(transcript: Transcript, theme: Theme) -> None:
    transcript.show_messages([thoughtful(1)])
    press_fold(transcript, 0)
    again = Transcript(theme, Pulse())
    again.show_messages([thoughtful(1)])
    assert again.plain_text() == "It is about ice.\n\nIce floats."
    again.show_messages([replace(thoughtful(2), conversation_id="other")])
    assert again.plain_text() == "Ice floats."


def test_tags_that_come_with_the_model_fold_what_is_shown_already(transcript: Transcript) -> None:
    transcript.show_messages([message("assistant", "[R]About ice.[/R]Ice floats.", number=1)])
    transcript.set_reasoning_tags((ReasoningTags("[R]", "[/R]"),))
    assert transcript.plain_text() == "Ice floats."
    transcript.set_reasoning_tags((ReasoningTags("[S]", "[/S]"),))
    start_reply(transcript)
    transcript.extend(delta("[R]About"))
    transcript.flush()
    assert transcript.plain_text() == "Ice floats.\n\nWhy?\n\n"


def test_several_parts_say_their_time_and_tokens_once(transcript: Transcript) -> None:
    reply = replace(thoughtful(1), text="<think>\nOne.\n</think>\n\n<think>\nTwo.\n</think>\n\nIce floats.")
    transcript.show_messages([reply])
    said = [block.describe() for block in transcript.sections[0].blocks if not block.is_hidden]
    assert said == ["Thought for 6 s, 214 tokens, folded", "Thought, folded", "Ice floats."]


def test_a_later_part_says_its_own_time_while_it_runs() -> None:
    live = LiveBlocks()
    live.append("<think>\nOne.\n</think>\n\n<think>\nTwo.")
    for seconds in (4.0, 7.0):
        live.folds[-1].show_seconds(seconds)
    assert live.folds[-1].words[0] == "Thinking, 3\u00a0s"


def test_what_is_folded_is_not_copied(transcript: Transcript) -> None:
    transcript.show_messages([thoughtful(1)])
    transcript.selectAll()
    assert transcript.selected_text() == "Ice floats."


def test_reasoning_that_is_found_is_shown(transcript: Transcript) -> None:
    transcript.show_messages([thoughtful(1)])
    assert transcript.find("about ice") == 1
    assert "It is about ice." in transcript.plain_text()


def test_the_tint_follows_what_drafts_wrote_while_it_comes(transcript: Transcript) -> None:
    start_reply(transcript)
    transcript.extend(replace(delta("Ice **floats"), accepted_start=4, accepted_end=12))
    transcript.extend(replace(delta("** well."), accepted_start=0, accepted_end=2))
    transcript.flush()
    assert transcript.sections[1].drafted == ((4, 14),)
    assert transcript.sections[1].drafted_in(0) == ((4, 10),)
    transcript.set_tint(True)
    assert not transcript.grab().isNull()


def test_spans_that_touch_are_one() -> None:
    assert add_span(((0, 3),), (3, 5)) == ((0, 5),)
    assert add_span(((0, 3),), (4, 5)) == ((0, 3), (4, 5))


def test_another_branch_of_a_chat_leaves_the_view_where_it_is(transcript: Transcript) -> None:
    chat = long_chat(30)
    transcript.show_messages(chat)
    transcript.scroll_to_message("m20")
    top = transcript.rect_of_section(19).top()
    other = [*chat[:25], message("assistant", "Another answer.", number=99)]
    transcript.show_messages(other)
    assert transcript.rect_of_section(19).top() == top


def test_another_chat_is_shown_from_its_end(transcript: Transcript) -> None:
    transcript.show_messages(long_chat(30))
    transcript.scroll_to_message("m20")
    transcript.show_messages([replace(each, conversation_id="other") for each in long_chat(20)])
    assert transcript.is_end_in_view
