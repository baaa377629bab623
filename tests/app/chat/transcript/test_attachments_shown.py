"""Attachments of messages that were sent: a press or Enter on a chip opens the text, to be read."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.chat.attachments_view import AttachmentView
from app.chat.transcript import Transcript
from app.conversations.records import Attachment, Message
from tests.app.chat.transcripts import long_chat, message

ATTACHED = (Attachment("parser.rs", "fn main() {}\n"), Attachment("notes.txt", "Some words."))


def asked(number: int = 1) -> Message:
    return replace(message("user", "See these.", number=number), attachments=ATTACHED)


def opened(transcript: Transcript) -> str:
    (view,) = transcript.window().findChildren(AttachmentView)
    assert view.text.isReadOnly()
    return view.text.toPlainText()


def test_a_press_on_a_chip_opens_its_text(transcript: Transcript) -> None:
    transcript.show_messages([asked()])
    place = transcript.rect_of_block(0, 0).topRight().toPoint() + QPoint(-20, 14)
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened(transcript) == "Some words."


def test_enter_opens_the_chip_that_the_keyboard_is_at(transcript: Transcript) -> None:
    transcript.show_messages([asked()])
    transcript.setFocus(Qt.FocusReason.TabFocusReason)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Right, Qt.Key.Key_Return):
        QTest.keyClick(transcript, key)
    assert opened(transcript) == "Some words."


def test_the_view_stays_while_an_attachment_is_read(transcript: Transcript) -> None:
    transcript.show_messages([*long_chat(4), asked(99), *long_chat(4)])
    transcript.scroll_to_message("m99")
    top = transcript.rect_of_section(8).top()
    place = transcript.rect_of_block(8, 0).topRight().toPoint() + QPoint(-20, 14)
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QApplication.processEvents()
    assert transcript.rect_of_section(8).top() == top
