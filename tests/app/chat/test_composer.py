"""The composer: what sends, what does not, what waits."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.chat.composer import Composer
from app.chat.draft import Draft, is_blank


def test_enter_sends_and_shift_enter_begins_a_line(composer: Composer, sent: list[Draft], qtbot: QtBot) -> None:
    qtbot.keyClicks(composer.field, "one")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.field, "two")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == [Draft("one\ntwo")]
    assert composer.field.toPlainText() == ""


def test_o57_enter_that_commits_an_input_method_does_not_send(
    composer: Composer, sent: list[Draft], qtbot: QtBot
) -> None:
    QApplication.sendEvent(composer.field, QInputMethodEvent("にほん", []))
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == []
    commit = QInputMethodEvent("", [])
    commit.setCommitString("日本")
    QApplication.sendEvent(composer.field, commit)
    assert composer.field.toPlainText() == "日本"
    assert sent == []
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == [Draft("日本")]


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\u200b", "\u00a0\u2003", "\u200b \ufeff\t\u2060"])
def test_o19_blank_text_does_not_send(composer: Composer, sent: list[Draft], qtbot: QtBot, text: str) -> None:
    composer.field.setPlainText(text)
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == []
    assert is_blank(text)
    assert not composer.foot.send_button.isEnabled()


def test_the_button_sends_and_becomes_stop_in_the_same_place(
    composer: Composer, sent: list[Draft], qtbot: QtBot
) -> None:
    place = composer.foot.send_button.geometry()
    composer.field.setPlainText("hello")
    qtbot.mouseClick(composer.foot.send_button, Qt.MouseButton.LeftButton)
    assert sent == [Draft("hello")]
    composer.set_busy(True)
    assert composer.foot.send_button.accessibleName() == "Stop this reply"
    assert composer.foot.send_button.geometry() == place
    with qtbot.waitSignal(composer.stop_requested):
        qtbot.mouseClick(composer.foot.send_button, Qt.MouseButton.LeftButton)


def test_enter_while_a_reply_runs_lets_the_text_wait(composer: Composer, sent: list[Draft], qtbot: QtBot) -> None:
    composer.set_busy(True)
    qtbot.keyClicks(composer.field, "and then")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == []
    assert composer.queued.drafts == (Draft("and then"),)
    qtbot.mouseClick(composer.queued.chips[0], Qt.MouseButton.LeftButton)
    assert composer.field.toPlainText() == "and then"
    assert composer.queued.next_draft() is None


def test_the_field_grows_to_its_most_and_then_scrolls(composer: Composer, qtbot: QtBot) -> None:
    composer.field.set_most_height(160)
    before = composer.field.height()
    composer.field.setPlainText("a\nb\nc")
    assert before < composer.field.height() <= 160
    composer.field.setPlainText("line\n" * 100)
    assert composer.field.height() == 160


def test_a_text_that_is_read_leftward_begins_at_the_right(composer: Composer) -> None:
    composer.field.setPlainText("مرحبا")
    assert composer.field.cursorRect().left() > composer.field.width() / 2
    composer.field.setPlainText("hello")
    assert composer.field.cursorRect().left() < composer.field.width() / 2


def test_pasted_text_loses_its_look(composer: Composer) -> None:
    data = QMimeData()
    data.setHtml("<b>bold</b>")
    data.setText("bold")
    composer.field.insertFromMimeData(data)
    assert composer.field.toPlainText() == "bold"


def test_the_chip_of_the_drafter_asks_for_another_and_says_how_fast_this_one_is(composer, qtbot) -> None:
    composer.foot.set_drafter("DFlash", "×2.1", is_measured=True)
    with qtbot.waitSignal(composer.foot.drafter_asked):
        composer.open_drafters()
    assert composer.foot.drafter_chip.accessibleName() == "Choose the drafter: DFlash ×2.1"


def test_words_in_the_empty_field_are_painted_anew_when_a_reply_ends(composer: Composer, qtbot: QtBot) -> None:
    composer.set_busy(True)
    qtbot.wait(50)
    watch = PaintWatch(composer.field.viewport())
    with qtbot.waitSignal(watch.painted, timeout=1000):
        composer.set_busy(False)


class PaintWatch(QObject):
    """Tells when more of a widget is painted than its caret."""

    painted = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent) and event.rect().width() > 40:
            self.painted.emit()
        return False
