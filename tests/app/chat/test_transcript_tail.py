"""What stands under a reply: its numbers where they are asked for, and the reason of a second reading."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from app.chat.notes import NoteBar
from app.chat.transcript import Transcript
from app.chat.transcript_document import NOTE_GAP
from app.conversations.records import ReplyState
from engine.messages import Statistics
from tests.app.chat.transcripts import delta, look_of, message, start_reply

REASON = "38 tokens were read again: the model's files changed."
AGAIN = Statistics(num_prompt=50, num_tokens=1, num_rounds=1, num_reread=38, reread_reason=REASON)


def test_details_stand_under_the_strip_when_asked(transcript: Transcript) -> None:
    numbers = Statistics(num_tokens=3, num_rounds=2, num_proposed=5, num_accepted=1, proposed_by_position=(2, 2, 1))
    reply = replace(message("assistant", "Ice.", number=2), statistics=numbers)
    transcript.show_messages([message("user", "Why?"), reply])
    transcript.toggle_last_details()
    assert "position 3: accepted 0 of 1, 0%" in transcript.toPlainText()
    transcript.toggle_last_details()
    assert "position" not in transcript.toPlainText()


def test_details_of_an_earlier_reply_touch_nothing_but_its_strip(transcript: Transcript) -> None:
    counted = Statistics(num_tokens=5, num_rounds=5, tokens_per_second=50.0)
    pairs = [
        (message("user", f"Why {one}?"), replace(message("assistant", f"So {one}.", number=2), statistics=counted))
        for one in range(3)
    ]
    transcript.show_messages([each for pair in pairs for each in pair])
    before = look_of(transcript.document())
    changes: list[tuple[int, int]] = []
    transcript.document().contentsChange.connect(lambda place, removed, added: changes.append((place, place + added)))
    transcript.toggle_details(transcript.content.sections[3])
    text = transcript.toPlainText()
    assert text.index("So 1.") < text.index("reply 5") < text.index("Why 2?")
    assert all(text.index("So 1.") < start and end <= text.index("Why 2?") for start, end in changes)
    transcript.toggle_details(transcript.content.sections[3])
    assert look_of(transcript.document()) == before


def test_the_reason_of_a_second_reading_stands_under_a_reply_that_runs(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript)
    transcript.extend(replace(delta("Ice"), statistics=AGAIN))
    qtbot.waitUntil(lambda: REASON in transcript.toPlainText(), timeout=2000)
    transcript.extend(replace(delta(" floats."), statistics=AGAIN))
    transcript.flush()
    assert transcript.toPlainText().index("Ice floats.") < transcript.toPlainText().index(REASON)
    assert not transcript.grab().isNull()


def test_the_reason_of_a_second_reading_stands_once_with_details_and_without(transcript: Transcript) -> None:
    transcript.show_messages([replace(message("assistant", "Ice."), statistics=AGAIN)])
    for _ in range(3):
        assert transcript.toPlainText().count(REASON) == 1
        transcript.toggle_last_details()


def test_a_note_under_a_reason_lies_in_its_own_place_after_the_window_has_another_width(transcript: Transcript) -> None:
    stopped = replace(message("assistant", ""), state=ReplyState.STOPPED, statistics=AGAIN)
    transcript.show_messages([message("user", "Why does ice float? " * 8), stopped])
    (bar,) = transcript.findChildren(NoteBar)
    for width in (900, 480, 1000):
        transcript.resize(width, 600)
        block = transcript.document().lastBlock()
        place = transcript.painted.rect_of(block).translated(0, -transcript.verticalScrollBar().value())
        assert (bar.x(), bar.y(), bar.width()) == (round(place.x()), round(place.y()), round(place.width()))
        assert bar.y() >= transcript.cursorRect(QTextCursor(block.previous())).bottom() + NOTE_GAP
