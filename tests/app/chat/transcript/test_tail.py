"""What stands under a reply: its numbers where they are asked for, its reasons and its note."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.chat.notes import Action, NoteBar
from app.chat.strip import spoken
from app.chat.transcript import Transcript, measures
from app.conversations.records import ReplyState
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from engine.messages import Statistics
from tests.app.chat.transcripts import NUMBERS, button, delta, message, start_reply

REASON = "38 tokens were read again: the model's files changed."
DETAIL = "Reply: 5\u00a0tokens"
AGAIN = Statistics(num_prompt=50, num_tokens=1, num_rounds=1, num_reread=38, reread_reason=REASON)


def test_details_stand_under_the_strip_when_asked(transcript: Transcript) -> None:
    numbers = Statistics(num_tokens=3, num_rounds=2, num_proposed=5, num_accepted=1, proposed_by_position=(2, 2, 1))
    reply = replace(message("assistant", "Ice.", number=2), statistics=numbers)
    transcript.show_messages([message("user", "Why?"), reply])
    transcript.toggle_last_details()
    assert "Position 3: accepted 0 of 1, 0%" in transcript.plain_text()
    transcript.toggle_last_details()
    assert "Position" not in transcript.plain_text()


def test_details_of_an_earlier_reply_stand_under_it(transcript: Transcript) -> None:
    replies = [replace(message("assistant", f"So {one}.", number=one), statistics=NUMBERS) for one in range(3)]
    transcript.show_messages(replies)
    transcript.toggle_details("m1")
    text = transcript.plain_text()
    assert text.index("So 1.") < text.index(DETAIL) < text.index("So 2.")
    transcript.toggle_details("m1")
    assert DETAIL not in transcript.plain_text()


def test_a_press_on_the_strip_opens_the_details(transcript: Transcript) -> None:
    transcript.show_messages([replace(message("assistant", "Ice."), statistics=NUMBERS)])
    strip = button(transcript, "Statistics: 50 tokens per second")
    strip.click()
    assert "50\u00a0tok/s" in transcript.plain_text()


def test_details_say_what_wrote_the_reply_and_how_it_ended(transcript: Transcript) -> None:
    written = replace(message("assistant", "Ice."), statistics=NUMBERS, model="models/Qwen3 8B", finish_reason="length")
    transcript.show_messages([written])
    transcript.toggle_last_details()
    assert "State: reached the limit of tokens\nModel: Qwen3 8B" in transcript.plain_text()


def test_details_go_on_while_the_reply_runs_and_say_its_end(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript)
    transcript.extend(delta("Ice", 1))
    transcript.toggle_last_details()
    for place in (2, 3):
        transcript.extend(delta(" floats", place))
        said = f"Reply: {place}\u00a0tokens"
        qtbot.waitUntil(lambda said=said: said in transcript.plain_text(), timeout=2000)  # type: ignore[misc]
    assert "State: running" in transcript.plain_text()
    assert all(block.is_laid_out for block in transcript.sections[1].details.blocks)  # or they are not painted
    transcript.change(message("assistant", "Ice floats floats", ReplyState.STOPPED, number=2))
    assert "State: running" not in transcript.plain_text()


def test_the_strip_is_named_by_what_it_shows(transcript: Transcript) -> None:
    transcript.show_messages([replace(message("assistant", "Ice."), statistics=NUMBERS)])
    assert button(transcript, "Statistics").accessibleName() == spoken(NUMBERS)


def test_the_reason_of_a_second_reading_stands_under_a_reply_that_runs(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript)
    transcript.extend(replace(delta("Ice"), statistics=AGAIN))
    qtbot.waitUntil(lambda: REASON in transcript.plain_text(), timeout=2000)
    transcript.extend(replace(delta(" floats."), statistics=AGAIN))
    transcript.flush()
    assert transcript.plain_text().index("Ice floats.") < transcript.plain_text().index(REASON)
    assert not transcript.grab().isNull()


def test_the_reason_of_a_second_reading_stands_once_with_details_and_without(transcript: Transcript) -> None:
    transcript.show_messages([replace(message("assistant", "Ice."), statistics=AGAIN)])
    for _ in range(3):
        assert transcript.plain_text().count(REASON) == 1
        transcript.toggle_last_details()


def test_more_than_two_reasons_fold_into_a_number_that_opens_them(transcript: Transcript) -> None:
    reply = replace(message("assistant", "Ice."), notices=("One.", "Two.", "Three."), statistics=NUMBERS)
    transcript.show_messages([reply])
    assert "One.\nTwo.\n1 more note" in transcript.plain_text()
    more = button(transcript, "Show 1 more note on this reply")
    assert more.text() == "1 more note"
    more.click()
    assert "One.\nTwo.\nThree." in transcript.plain_text()
    assert not more.isVisible()


def test_what_a_check_found_stands_under_its_reply(transcript: Transcript) -> None:
    transcript.show_messages([message("assistant", "Ice.", number=1), message("user", "Why?", number=2)])
    transcript.set_remark("m1", "Differs from token 88 on.")
    assert transcript.plain_text() == "Ice.\nDiffers from token 88 on.\n\nWhy?"


def test_a_note_under_a_reason_lies_in_its_own_place_after_the_window_has_another_width(transcript: Transcript) -> None:
    stopped = replace(message("assistant", ""), state=ReplyState.STOPPED, statistics=AGAIN)
    transcript.show_messages([message("user", "Why does ice float? " * 8), stopped])
    (bar,) = transcript.findChildren(NoteBar)
    for width in (900, 480, 1000):
        transcript.resize(width, 600)
        section = transcript.rect_of_section(1)
        assert transcript.last is not None
        reasons_end = section.top() + transcript.last.parts.reasons + measures.LINE
        assert (bar.x(), bar.width()) == (section.left(), section.width())
        assert bar.y() >= reasons_end + measures.NOTE_GAP - 1
        assert bar.geometry().bottom() <= section.bottom() + 1


def test_what_a_check_tells_has_a_way_to_stop_it(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages([message("user", "Why?"), replace(message("assistant", "Ice.", number=2))])
    transcript.set_remark("m2", "Checking without a drafter, 1 of 5.", can_stop=True)
    stop = button(transcript, "Stop the check")
    assert stop.geometry().top() > transcript.rect_of_block(1, 0).bottom()
    with qtbot.waitSignal(transcript.action_chosen) as chosen:
        stop.click()
    assert chosen.args == [Action.CHECK, "m2"]
    transcript.set_remark("m2", "The check was stopped.")
    assert not stop.isVisible()


def test_the_wake_is_there_again_when_the_chat_is_opened_again(transcript: Transcript, theme: Theme) -> None:
    start_reply(transcript)
    for place in range(1, 9):
        transcript.extend(delta("ice ", place))
    transcript.flush()
    reply = replace(message("assistant", "ice " * 8, number=2), statistics=NUMBERS)
    transcript.change(reply)
    shown = transcript.sections[1].rounds
    other = Transcript(theme, Pulse())
    other.show_messages([message("user", "Why?"), reply])
    assert len(shown) == 8
    assert other.sections[1].rounds == shown
    other.deleteLater()
