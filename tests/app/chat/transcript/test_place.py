"""Where the reader is: the end stays in view until it is let go, and nothing moves while heights are corrected."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.chat.transcript import Transcript
from app.chat.transcript.end_button import EndButton
from app.theme.theme import Theme
from tests.app.chat.transcripts import NUMBERS, button, delta, long_chat, message, start_reply


def stream(transcript: Transcript, text: str) -> None:
    transcript.extend(delta(text))
    transcript.flush()


def test_the_end_stays_in_view_until_the_reader_scrolls_up(transcript: Transcript) -> None:
    start_reply(transcript)
    bar = transcript.verticalScrollBar()
    stream(transcript, "line\n\n" * 60)
    assert 0 < bar.value() == bar.maximum()
    bar.setValue(bar.maximum() - 200)
    place = bar.value()
    stream(transcript, "more\n\n" * 20)
    assert bar.value() == place
    assert not transcript.is_end_in_view
    transcript.scroll_to_end()
    assert bar.value() == bar.maximum()


def test_the_way_back_to_the_end_counts_the_lines_that_came(transcript: Transcript) -> None:
    start_reply(transcript)
    stream(transcript, "line\n\n" * 60)
    transcript.verticalScrollBar().setValue(0)
    stream(transcript, "more\n\n" * 10 + "End")
    back = button(transcript, "Scroll to the end")
    assert isinstance(back, EndButton)
    assert back.num_lines == 16  # and the room above each paragraph
    back.click()
    assert transcript.is_end_in_view
    assert not back.isVisible()


def test_a_long_chat_opens_at_its_end_and_reads_no_more_than_is_seen(transcript: Transcript) -> None:
    transcript.show_messages(long_chat(200))
    assert transcript.offset == transcript.verticalScrollBar().maximum() > 10_000
    assert transcript.sections[399].is_made
    assert sum(section.is_made for section in transcript.sections) < 20


def test_scrolling_up_through_guessed_heights_moves_by_what_was_asked(transcript: Transcript) -> None:
    transcript.show_messages(long_chat(60, "It is *less* dense.\n\n" * 12))
    bar = transcript.verticalScrollBar()
    for _ in range(40):
        under = transcript.block_at(QPointF(transcript.column_left + 5, 300))
        before = transcript.rect_of_block(*under[:2]).top() if under else None
        bar.setValue(bar.value() - 150)
        if under and before is not None:
            assert abs(transcript.rect_of_block(*under[:2]).top() - before - 150) <= 1


def test_what_is_far_from_the_view_holds_no_layout(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages(long_chat(60, "It is less dense.\n\n" * 40))
    bar = transcript.verticalScrollBar()
    last = transcript.sections[119].body.blocks[-1]
    assert last.is_laid_out
    bar.setValue(0)
    qtbot.waitUntil(lambda: not last.is_laid_out, timeout=2000)
    bar.setValue(bar.maximum())
    assert last.is_laid_out


def test_the_line_that_is_read_stays_when_the_window_is_made_narrower(transcript: Transcript) -> None:
    transcript.show_messages(long_chat(30))
    transcript.scroll_to_message("m20")
    top = transcript.rect_of_section(19).top()
    transcript.resize(500, 400)
    assert abs(transcript.rect_of_section(19).top() - top) <= 2


def test_a_message_that_is_asked_for_comes_to_the_top(transcript: Transcript) -> None:
    transcript.show_messages(long_chat(100))
    transcript.scroll_to_message("m7")
    assert 0 <= transcript.rect_of_section(6).top() < 40
    assert not transcript.is_end_in_view


def test_details_that_open_above_leave_the_end_where_the_reader_can_come_back_to_it(transcript: Transcript) -> None:
    transcript.show_messages([message("user", "Why?"), message("assistant", "So.", number=2)])
    transcript.toggle_last_details()  # nothing is known of it
    assert transcript.is_end_in_view


def test_the_reply_in_view_is_told(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages(long_chat(20))
    assert transcript.reply_in_view == "m40"
    with qtbot.waitSignal(transcript.reply_in_view_changed) as told:
        transcript.verticalScrollBar().setValue(0)
    assert told.args == ["m4"]


def test_a_menu_is_for_what_lies_under_the_pointer_after_the_text_has_moved(transcript: Transcript) -> None:
    transcript.show_messages(long_chat(20))
    middle = transcript.viewport().rect().center()
    QTest.mouseMove(transcript.viewport(), middle)
    transcript.verticalScrollBar().setValue(0)
    chosen: list[str] = []
    transcript.action_chosen.connect(lambda action, message_id: chosen.append(message_id))
    place = transcript.viewport().mapToGlobal(middle)
    QApplication.sendEvent(transcript.viewport(), QContextMenuEvent(QContextMenuEvent.Reason.Mouse, middle, place))
    menu = transcript.findChild(QMenu)
    assert menu is not None
    next(action for action in menu.actions() if action.text() == "Delete from here").trigger()
    menu.close()
    under = transcript.sections.index_at(middle.y() + transcript.offset)
    assert chosen == [transcript.sections[under].message.id]


def test_another_text_size_measures_what_is_parsed_already(transcript: Transcript, theme: Theme) -> None:
    reply = replace(message("assistant", "Ice. " * 200, number=2), statistics=NUMBERS)
    transcript.show_messages([message("user", "Why?"), reply])
    transcript.toggle_last_details()
    blocks, height = list(transcript.sections[1].body.blocks), transcript.sections[1].body.height
    try:
        theme.set_text_size(150)
        assert transcript.sections[1].body.blocks == blocks
        assert transcript.sections[1].body.height > 1.8 * height
        assert transcript.sections[1].has_details
    finally:
        theme.set_text_size(100)
