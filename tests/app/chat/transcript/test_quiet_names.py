"""A name that ticks is read aloud each time: what a screen reader hears while a reply runs."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.chat.transcript import Transcript
from app.chat.transcript.end_button import EndButton
from app.theme.theme import Theme
from tests.app.chat.transcripts import NUMBERS, button, delta, message, start_reply


def test_a_screen_reader_is_told_no_number_that_ticks(transcript: Transcript) -> None:
    start_reply(transcript)
    names = set()
    for place in range(1, 4):
        transcript.extend(delta("ice ", place * 10))
        transcript.flush()
        transcript.sections[1].show_latest()
        transcript.moved.emit()
        names.add(button(transcript, "Statistics").accessibleName())
    assert names == {"Statistics of the running reply"}
    transcript.change(replace(message("assistant", "ice ice ice ", number=2), statistics=NUMBERS))
    assert button(transcript, "Statistics").accessibleName() == "Statistics: 50 tokens per second"


def test_the_way_to_the_end_says_its_lines_where_it_is_asked(theme: Theme, qtbot: QtBot) -> None:
    way = EndButton(theme, parent := QWidget())
    qtbot.addWidget(parent)
    way.set_lines(12)
    assert way.accessibleName() == "Scroll to the end"
    QApplication.sendEvent(way, QFocusEvent(QEvent.Type.FocusIn, Qt.FocusReason.TabFocusReason))
    assert way.accessibleName() == "Scroll to the end, 12\u00a0new lines"
