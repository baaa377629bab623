"""Finding in a chat: every hit is counted, the last is current at first, and going on shows the next."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.chat.find_bar import HEIGHT
from app.chat.transcript import Transcript
from app.chat.transcript.holding import can_hold
from tests.app.chat.transcripts import delta, long_chat, message, point_of, start_reply


def num_found(transcript: Transcript, qtbot: QtBot, words: str) -> int:
    """Hits once the search has ended."""
    transcript.find(words)
    qtbot.waitUntil(lambda: not transcript.finder.is_searching, timeout=5000)
    return len(transcript.finder.hits)


def test_hits_of_several_messages_are_counted_without_case_and_marks(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages([message("user", "Which café?"), message("assistant", "Any **Cafe**, cafés.", number=2)])
    assert num_found(transcript, qtbot, "cafe") == 3
    assert num_found(transcript, qtbot, "nothing like it") == 0


def test_going_on_wraps_and_tells_the_place(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages([message("user", "ice ice"), message("assistant", "ice", number=2)])
    num_found(transcript, qtbot, "ice")
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


def test_the_marks_of_a_chat_that_changed_are_looked_for_again(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages([message("user", "ice")])
    num_found(transcript, qtbot, "ice")
    transcript.show_messages([message("user", "water"), message("assistant", "ice", number=2)])
    qtbot.waitUntil(lambda: [hit.section for hit in transcript.finder.hits] == [1], timeout=5000)


def test_a_hit_is_shown_clear_of_the_find_bar(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages([message("user", "needle " + "and more words " * 400 + " needle")])
    bar = transcript.verticalScrollBar()
    transcript.sections[0].blocks[0].reveal(6_000)
    num_found(transcript, qtbot, "needle")
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


def test_what_comes_while_the_search_is_open_is_found_in_place(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript, "Why does ice float?")
    num_found(transcript, qtbot, "ice")
    transcript.extend(delta("ice one\n\n" * 40 + "ice"))
    transcript.flush()
    assert len(transcript.finder.hits) == 42
    assert transcript.finder.place == 0
    assert transcript.is_end_in_view
    transcript.change(message("assistant", "ice one", number=2))
    assert [hit.section for hit in transcript.finder.hits] == [0, 1]


@pytest.mark.parametrize("words", ["unbelievable", "&copy; 2024", "one two", "linked", "a && b", "caf&eacute;"])
def test_words_are_found_as_they_are_shown(transcript: Transcript, qtbot: QtBot, words: str) -> None:
    written = "un**believ**able &copy; 2024 one\ntwo [link](https://a.b)ed `a && b` caf&eacute;"
    transcript.show_messages([message("user", "Why?"), message("assistant", written, number=2)])
    assert num_found(transcript, qtbot, words) == 1


def test_a_long_message_is_looked_through_in_turns() -> None:
    turns = list(can_hold("\u6c34" * 100_000 + "ice", ["ICE"]))
    assert len(turns) > 10
    assert turns[-1]
    assert not list(can_hold("water", ["ice"]))[-1]


def test_a_search_over_all_chats_goes_on_from_the_message_that_it_found(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages([message("user", "ice"), message("assistant", "So ice is ice.", number=2)])
    transcript.find("ice", "m2")
    qtbot.waitUntil(lambda: transcript.finder.place == 1 and len(transcript.finder.hits) == 3, timeout=5000)


def test_words_that_stand_apart_are_shown_by_the_longest(transcript: Transcript) -> None:
    transcript.show_messages([message("user", "Why does ice float?")])
    assert transcript.words_in("m1", "ICE float") == "ICE float"
    assert transcript.words_in("m1", "float ice") == "float"
    assert transcript.words_in("m9", "ice") == ""
