"""Finding in a chat: every hit is counted, the last is current at first, and going on shows the next."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.chat.find_bar import HEIGHT
from app.chat.transcript import Transcript
from tests.app.chat.transcripts import long_chat, message, point_of


def test_hits_of_several_messages_are_counted_without_case_and_marks(transcript: Transcript) -> None:
    transcript.show_messages([message("user", "Which café?"), message("assistant", "Any **Cafe**, cafés.", number=2)])
    assert transcript.find("cafe") == 3
    assert transcript.find("nothing like it") == 0


def test_going_on_wraps_and_tells_the_place(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages([message("user", "ice ice"), message("assistant", "ice", number=2)])
    transcript.find("ice")
    places = []
    transcript.found_changed.connect(lambda num_found, place: places.append((num_found, place)))
    for by in (1, 1, -1):
        transcript.step(by)
    assert places == [(3, 1), (3, 2), (3, 1)]


def test_a_hit_far_away_comes_into_view(transcript: Transcript, qtbot: QtBot) -> None:
    chat = long_chat(80)
    chat[10] = message("user", "the needle", number=11)
    transcript.show_messages(chat)
    transcript.find("needle")
    qtbot.waitUntil(lambda: transcript.rect_of_section(10).intersects(transcript.viewport().rect()), timeout=3000)


def test_marks_go_when_the_search_ends(transcript: Transcript) -> None:
    transcript.show_messages([message("user", "ice")])
    transcript.find("ice")
    assert transcript.finder.found_in(0)
    transcript.clear()
    assert not transcript.finder.found_in(0)


def test_the_marks_of_a_chat_that_changed_are_looked_for_again(transcript: Transcript) -> None:
    transcript.show_messages([message("user", "ice")])
    transcript.find("ice")
    transcript.show_messages([message("user", "water"), message("assistant", "ice", number=2)])
    assert [hit.section for hit in transcript.finder.hits] == [1]


def test_a_hit_is_shown_clear_of_the_find_bar(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages([message("user", "needle " + "and more words " * 400 + " needle")])
    bar = transcript.verticalScrollBar()
    transcript.sections[0].blocks[0].reveal(6_000)
    transcript.find("needle")
    for by in (1, 1, 1):
        bar.setValue(bar.maximum() // 2)
        transcript.step(by)
        hit = transcript.finder.current
        assert hit is not None
        assert point_of(transcript, hit.section, hit.span[0]).y() > HEIGHT + 12


def test_what_is_far_away_is_parsed_for_the_search_alone(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages(long_chat(40))
    transcript.find("dense")
    qtbot.waitUntil(lambda: not transcript.finder.is_searching, timeout=5000)
    assert len(transcript.finder.hits) == 40 * 30
    assert not transcript.sections[1].contents.is_made
    transcript.step(1)
    assert transcript.sections[1].contents.is_made
