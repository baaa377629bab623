"""Without a mouse: by message with the arrows, to its actions with Tab, into code with Enter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.chat.transcript import Transcript
from app.conversations.records import Message
from tests.app.chat.transcripts import NUMBERS, long_chat, message


@pytest.fixture
def focused(transcript: Transcript, qtbot: QtBot) -> Iterator[Transcript]:
    """A transcript that has the keyboard, in a window with a field behind it."""
    window = QWidget()
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    layout.addWidget(transcript)
    field = QLineEdit(window)
    layout.addWidget(field)
    field.setFocus()
    window.resize(800, 500)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield transcript
    transcript.setParent(None)  # which the fixture that made it ends


def press(key: Qt.Key, times: int = 1) -> None:
    for _ in range(times):
        widget = QApplication.focusWidget()
        assert widget is not None
        QTest.keyClick(widget, key)


def name() -> str:
    widget = QApplication.focusWidget()
    return "" if widget is None else widget.accessibleName()


def test_arrows_go_by_message_and_show_it(focused: Transcript) -> None:
    focused.show_messages(long_chat(20))
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    assert focused.focus_index == 39
    press(Qt.Key.Key_Up, 12)
    assert focused.focus_index < 37
    rect = focused.rect_of_section(focused.focus_index)
    assert rect.intersects(focused.viewport().rect())
    press(Qt.Key.Key_Home)
    assert focused.offset == 0
    press(Qt.Key.Key_End)
    assert focused.is_end_in_view


def test_tab_goes_through_the_actions_of_a_message_and_out(focused: Transcript) -> None:
    reply = replace(message("assistant", "So.", number=2), statistics=NUMBERS)
    focused.show_messages([message("user", "Why?", number=1), reply])
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    names = []
    for _ in range(5):
        press(Qt.Key.Key_Tab)
        names.append(name().split(":")[0])
    assert names[:3] == ["Statistics", "Copy this message", "Write this reply again"]
    assert names[3] == "Show more actions for this reply"
    assert isinstance(QApplication.focusWidget(), QLineEdit)


def test_what_tab_comes_to_under_a_long_reply_is_brought_into_view(focused: Transcript) -> None:
    reply = replace(message("assistant", "So.\n\n" * 200, number=2), statistics=NUMBERS)
    focused.show_messages([message("user", "Why?", number=1), reply, message("user", "And?", number=3)])
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    focused.focus_section(1)
    for place in (focused.offset, 0, focused.verticalScrollBar().maximum()):
        focused.setFocus(Qt.FocusReason.OtherFocusReason)
        focused.verticalScrollBar().setValue(place)
        press(Qt.Key.Key_Tab)
        button = QApplication.focusWidget()
        assert name().startswith("Statistics")
        assert button is not None
        place_in_view = button.rect().translated(button.mapTo(focused.viewport(), button.rect().topLeft()))
        assert focused.viewport().rect().contains(place_in_view)


def test_the_actions_of_another_message_are_reached_from_it(focused: Transcript) -> None:
    focused.show_messages([message("user", "Why?", number=1), message("assistant", "So.", number=2)])
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    press(Qt.Key.Key_Up)
    press(Qt.Key.Key_Tab)
    assert name() == "Edit this message"
    press(Qt.Key.Key_Backtab)
    assert QApplication.focusWidget() is focused


def test_enter_reads_code_and_escape_leaves_it(focused: Transcript) -> None:
    focused.show_messages([message("assistant", "See:\n\n```rust\nfn main() {}\n```\n\nDone.")])
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    press(Qt.Key.Key_Return)
    assert focused.focus_block == 1
    QTest.keyClick(focused, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().strip() == "fn main() {}"
    press(Qt.Key.Key_Escape)
    assert focused.focus_block == -1


def test_keys_copy_what_is_marked(focused: Transcript) -> None:
    focused.show_messages([message("user", "Why?"), message("assistant", "So.", number=2)])
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(focused, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(focused, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "Why?\n\nSo."


def test_keys_reach_a_message_that_was_not_read_yet(focused: Transcript) -> None:
    focused.show_messages(long_chat(20))
    focused.verticalScrollBar().setValue(0)
    focused.show_messages(long_chat(40))
    assert not focused.sections[79].is_made
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    press(Qt.Key.Key_Return)
    press(Qt.Key.Key_Up)
    assert focused.focus_index == 78


def read_first(focused: Transcript, *messages: Message) -> None:
    """Read the first block of the first message that is more than text."""
    focused.show_messages(list(messages))
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    focused.focus_section(0)
    press(Qt.Key.Key_Return)


def test_links_of_a_reply_are_reached_and_opened(focused: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    read_first(focused, message("assistant", "See [a](https://a.b/c) and [d](https://d.e) now.\n\n[f](https://f.g)"))
    for _ in range(2):
        press(Qt.Key.Key_Tab)
        press(Qt.Key.Key_Return)
    press(Qt.Key.Key_Tab, 2)
    press(Qt.Key.Key_Return)
    assert opened == ["https://a.b/c", "https://d.e", "https://f.g"]


@pytest.mark.parametrize(
    ("role", "text", "num_tabs"),
    [
        ("user", "\n".join(map(str, range(100))), 1),
        ("assistant", "```py\n" + "x\n" * 600 + "```", 2),
        ("assistant", "|a|b|\n|-|-|\n" + "|1|2|\n" * 400, 1),
    ],
)
def test_long_text_code_and_tables_are_unfolded(focused: Transcript, role: str, text: str, num_tabs: int) -> None:
    read_first(focused, message(role, text))
    height = focused.sections[0].parts.height
    press(Qt.Key.Key_Tab, num_tabs)
    press(Qt.Key.Key_Return)
    assert focused.sections[0].parts.height > height


def test_enter_on_code_takes_copy_to_hand_and_then_copies(focused: Transcript) -> None:
    QApplication.clipboard().clear()
    read_first(focused, message("assistant", "```py\nx = 1\n```"))
    press(Qt.Key.Key_Return)
    assert QApplication.clipboard().text() == ""
    deed = focused.deeds.current
    assert deed is not None
    assert deed.name == "Copy code"
    press(Qt.Key.Key_Return)
    assert QApplication.clipboard().text().strip() == "x = 1"
