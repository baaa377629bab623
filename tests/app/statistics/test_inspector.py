"""The inspector: one reply, while it runs, after it and from an earlier run of the program."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.conversations.records import Message
from app.figures import NO_BREAK
from app.statistics.inspector import NOTHING, READING, UNTOLD, Inspector
from app.theme.theme import Theme
from engine.messages import Statistics
from tests.app.statistics.replies import Talk


@pytest.fixture
def inspector(qtbot: QtBot, theme: Theme, talk: Talk) -> Inspector:
    inspector = Inspector(theme, talk.history)
    qtbot.addWidget(inspector)
    inspector.resize(304, 800)
    inspector.show()
    return inspector


def words_of(inspector: Inspector) -> str:
    return inspector.text.replace(NO_BREAK, " ")


def test_it_follows_a_running_reply(qtbot: QtBot, inspector: Inspector, talk: Talk) -> None:
    talk.begin(1)
    inspector.show_reply("m1")
    assert inspector.note.text() == READING
    for _ in range(3):
        talk.round(1, 2, 1, speedup=2.0, depth_reason="Every proposal is verified.")
    qtbot.waitUntil(lambda: inspector.rounds.text() == f"3{NO_BREAK}rounds")
    assert "vs plain, measured here: ×2.0" in words_of(inspector)
    assert "Accepted of proposed\t3 of 6, 50%" in words_of(inspector)
    assert inspector.note.text() == "Depth 2. Every proposal is verified."
    assert inspector.spark.isVisible()


def test_a_reply_without_a_drafter_shows_nothing_of_drafting(inspector: Inspector, talk: Talk) -> None:
    talk.begin(1, drafter="none")
    talk.round(1)
    inspector.show_reply("m1")
    assert not inspector.positions.isVisible()
    assert not inspector.spark.isVisible()
    assert "Forward\t50.0 ms" in words_of(inspector)
    assert "nothing was drafted" in words_of(inspector)


def test_a_reply_of_an_earlier_run_is_told_from_what_was_saved(inspector: Inspector) -> None:
    known = Statistics(num_tokens=4, num_rounds=2, num_proposed=2, num_accepted=2, proposed_by_position=(2,))
    message = Message("old", "ice", None, "assistant", "x", model="/models/Tiny", drafter="ngram", statistics=known)
    inspector.show_reply("old", message)
    assert "Model\tTiny" in words_of(inspector)
    assert "Drafter\tn-gram" in words_of(inspector)
    assert not inspector.spark.isVisible()


def test_the_end_of_a_reply_is_told_whatever_message_was_handed_in(
    qtbot: QtBot, inspector: Inspector, talk: Talk
) -> None:
    talk.begin(1)
    talk.round(1)
    inspector.show_reply("m1", talk.history.replies()[0].message)
    assert "State\trunning" in words_of(inspector)
    talk.end(1, "length")
    qtbot.waitUntil(lambda: "State\treached the limit of tokens" in words_of(inspector))


def test_a_reply_that_ended_without_a_round_is_said_to_have_no_numbers(inspector: Inspector, talk: Talk) -> None:
    talk.begin(1)
    talk.end(1)
    inspector.show_reply("m1")
    assert inspector.note.text() == UNTOLD


def test_without_a_reply_it_says_so(inspector: Inspector) -> None:
    inspector.show_reply("")
    assert inspector.text == NOTHING


def test_the_tint_is_switched_by_keyboard_and_follows_the_window_silently(qtbot: QtBot, inspector: Inspector) -> None:
    with qtbot.waitSignal(inspector.tint_toggled) as told:
        qtbot.keyClick(inspector.tint, Qt.Key.Key_Space)
    assert told.args == [True]
    with qtbot.assertNotEmitted(inspector.tint_toggled):
        inspector.set_tint(False)
    assert not inspector.tint.isChecked()
