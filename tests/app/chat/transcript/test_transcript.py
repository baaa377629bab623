"""The transcript: what comes is shown within frames, and every state has its words."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.chat.notes import Action
from app.chat.transcript import Transcript, frame_milliseconds
from app.conversations.records import Message, ReplyState
from app.theme.theme import Theme
from app.theme.tokens import DARK
from engine.messages import Progress
from tests.app.chat.transcripts import NUMBERS, button, delta, message, point_of, start_reply


def test_deltas_appear_within_frames(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript)
    for word in ("Ice", " floats", " well"):
        transcript.extend(delta(word))
    qtbot.waitUntil(lambda: "Ice floats well" in transcript.plain_text(), timeout=1000)


def test_a_slow_frame_is_followed_by_a_longer_wait() -> None:
    assert frame_milliseconds(0.001) == 16
    assert frame_milliseconds(0.050) == 200


def test_a_user_text_is_shown_exactly_as_typed(transcript: Transcript) -> None:
    typed = "# no heading\n<b>&amp;</b> *stars* ![x](http://y/z.png)\n\n\ttab  two spaces"
    start_reply(transcript, typed)
    assert typed in transcript.plain_text()


def test_a_hidden_transcript_only_keeps_text_until_it_is_shown(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript)
    transcript.hide()
    transcript.extend(delta("unseen"))
    qtbot.wait(40)
    assert "unseen" not in transcript.plain_text()
    transcript.show()
    assert "unseen" in transcript.plain_text()


def test_a_theme_change_keeps_text_and_place(transcript: Transcript, theme: Theme) -> None:
    start_reply(transcript)
    transcript.extend(delta("word\n\n" * 80))
    transcript.flush()
    transcript.verticalScrollBar().setValue(100)
    before = transcript.plain_text()
    theme.apply(DARK)
    assert transcript.plain_text() == before
    assert transcript.verticalScrollBar().value() == 100


def test_a_stopped_reply_offers_to_go_on(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript)
    transcript.extend(delta("Half"))
    transcript.change(replace(message("assistant", "Half", ReplyState.STOPPED, number=2), token_ids=(1,)))
    assert "Half\nStopped after 1\u00a0token." in transcript.plain_text()
    with qtbot.waitSignal(transcript.action_chosen) as chosen:
        button(transcript, "Continue this reply").click()
    assert chosen.args == [Action.CONTINUE, "m2"]


def test_half_a_reply_that_was_found_can_be_discarded(transcript: Transcript, qtbot: QtBot) -> None:
    half = replace(message("assistant", "Half", ReplyState.CUT_OFF, number=2), token_ids=(1,))
    transcript.show_messages([message("user", "Why?"), half])
    with qtbot.waitSignal(transcript.action_chosen) as chosen:
        button(transcript, "Discard this reply").click()
    assert chosen.args == [Action.DISCARD, "m2"]


def test_progress_is_shown_in_the_place_of_the_strip(transcript: Transcript) -> None:
    start_reply(transcript)
    transcript.set_progress(Progress(1, "reading", 11_400, 19_650))
    assert transcript.last is not None
    assert transcript.last.progress is not None
    transcript.grab()
    transcript.set_progress(None)
    assert transcript.last.progress is None


def test_every_state_can_be_painted(transcript: Transcript) -> None:
    for state in ReplyState:
        transcript.show_messages([message("user", "Why?"), message("assistant", "So.", state, number=2)])
        assert not transcript.grab().isNull()


def test_messages_that_the_prompt_has_not_are_marked(transcript: Transcript, qtbot: QtBot) -> None:
    chat = [message("user", "One?", number=1), message("assistant", "One.", number=2)]
    asked = replace(message("user", "Two?", number=3), num_left_out=2)
    transcript.show_messages([*chat, asked])
    words = "The 2\u00a0messages above are left out of the prompt."
    assert transcript.plain_text() == f"One?\n\nOne.\n\n{words}\nTwo?"
    assert [section.is_left_out for section in transcript.sections] == [True, True, False]
    with qtbot.waitSignal(transcript.action_chosen) as chosen:
        button(transcript, "Include all messages").click()
    assert chosen.args == [Action.INCLUDE, "m3"]
    transcript.change(replace(asked, num_left_out=0))
    assert words not in transcript.plain_text()


def test_branches_of_an_edited_message_can_be_changed(transcript: Transcript, qtbot: QtBot) -> None:
    chat = [message("user", "Why?", number=1), message("assistant", "So.", number=2)]
    transcript.show_messages(chat, {"m1": ("m0", "m1", "m9")})
    assert button(transcript, "Show the previous branch").isEnabled()
    with qtbot.waitSignal(transcript.action_chosen) as chosen:
        button(transcript, "Show the next branch").click()
    assert chosen.args == [Action.NEXT, "m1"]


def test_the_last_reply_offers_its_actions(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages([message("user", "Why?"), _counted("So.")])
    with qtbot.waitSignal(transcript.action_chosen) as chosen:
        button(transcript, "Write this reply again").click()
    assert chosen.args == [Action.AGAIN, "m2"]


def test_the_last_reply_says_why_no_branch_begins_there(transcript: Transcript) -> None:
    transcript.show_messages([message("user", "Why?"), _counted("So.")])
    branch = button(transcript, "Branch from this reply")
    assert not branch.isEnabled()
    assert branch.toolTip() == "Nothing follows this reply: what you send next goes on from it."
    transcript.add_message(message("user", "And?", number=3))
    QTest.mouseMove(transcript.viewport(), point_of(transcript, 1, 0))
    assert button(transcript, "Branch from this reply").isEnabled()


def _counted(text: str) -> Message:
    return replace(message("assistant", text, number=2), statistics=NUMBERS)
