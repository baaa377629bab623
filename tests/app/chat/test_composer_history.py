"""Up and Down bring back what was asked before."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.chat.composer import Composer
from app.chat.composer_history import History
from app.conversations.records import Message

UP, DOWN = Qt.Key.Key_Up, Qt.Key.Key_Down


def press(qtbot: QtBot, composer: Composer, *keys: Qt.Key) -> str:
    for key in keys:
        qtbot.keyClick(composer.field, key)
    return composer.field.toPlainText()


def test_up_goes_back_through_the_chat_and_down_returns_to_the_empty_field(composer: Composer, qtbot: QtBot) -> None:
    said = (("user", "one"), ("assistant", "no"), ("user", "two"))
    composer.set_history(Message(str(place), "c", None, *words) for place, words in enumerate(said))
    assert press(qtbot, composer, UP) == "two"
    assert press(qtbot, composer, UP, UP) == "one"
    assert press(qtbot, composer, DOWN) == "two"
    assert press(qtbot, composer, DOWN) == ""
    assert press(qtbot, composer, DOWN) == ""


def test_what_was_just_sent_comes_back(composer: Composer, qtbot: QtBot) -> None:
    qtbot.keyClicks(composer.field, "one")
    press(qtbot, composer, Qt.Key.Key_Return)
    assert press(qtbot, composer, UP) == "one"


def test_up_moves_through_the_lines_of_a_recalled_text_first(composer: Composer, qtbot: QtBot) -> None:
    for text in ("one", "two\nlines"):
        composer.field.history.add(text)
    assert press(qtbot, composer, UP) == "two\nlines"
    assert press(qtbot, composer, UP) == "two\nlines"
    assert press(qtbot, composer, UP) == "one"


def test_a_text_that_was_written_is_never_replaced(composer: Composer, qtbot: QtBot) -> None:
    composer.field.history.add("one")
    qtbot.keyClicks(composer.field, "mine")
    assert press(qtbot, composer, UP, DOWN) == "mine"
    composer.field.clear()
    press(qtbot, composer, UP)
    qtbot.keyClicks(composer.field, "!")
    assert press(qtbot, composer, DOWN, UP) == "one!"


def test_a_text_sent_twice_in_a_row_counts_once() -> None:
    history = History()
    history.set_texts(["one", "two", "two", ""])
    assert (history.step_back(""), history.step_back("two"), history.step_back("one")) == ("two", "one", None)


def test_up_takes_back_what_waits_before_what_was_sent(composer: Composer, qtbot: QtBot) -> None:
    composer.field.history.add("sent")
    composer.set_busy(True)
    for text in ("one", "two"):
        qtbot.keyClicks(composer.field, text)
        press(qtbot, composer, Qt.Key.Key_Return)
    assert press(qtbot, composer, UP) == "two"
    assert [chip.draft.text for chip in composer.queued.chips] == ["one"]
    composer.field.clear()
    assert press(qtbot, composer, UP) == "one"
    composer.field.clear()
    assert press(qtbot, composer, UP) == "sent"
    assert not composer.queued.chips
