"""Under an interface that runs from right to left: what is not text changes its side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QApplication

from app.chat.notes import NoteBar
from app.chat.transcript import Transcript
from app.chat.transcript.measures import ACTIONS_WIDTH
from app.conversations.records import Attachment, Message, ReplyState
from app.theme.tokens import LIGHT
from tests.app.chat.blocks.drawing import has_colour
from tests.app.chat.transcripts import NUMBERS, button, message

ATTACHED = (Attachment("parser.rs", "fn main() {}"),)


@pytest.fixture
def mirrored(qapp: QApplication, transcript: Transcript) -> Iterator[Transcript]:
    before = qapp.layoutDirection()
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield transcript
    qapp.setLayoutDirection(before)


def thoughtful() -> Message:
    text = "<think>\nIt is about ice.\n</think>\n\nIce floats."
    return replace(message("assistant", text, number=2), statistics=NUMBERS, thought_seconds=6.0)


def test_the_users_message_stands_at_the_left(mirrored: Transcript) -> None:
    mirrored.show_messages([replace(message("user", "Why?"), attachments=ATTACHED)])
    chips, text = mirrored.sections[0].blocks
    assert text.rect_of(4).right() < 100
    assert chips.press(QRectF(0, 0, 40, 28).center())


def test_the_strip_stands_at_the_right_of_its_actions(mirrored: Transcript) -> None:
    mirrored.show_messages([message("user", "Why?"), thoughtful()])
    strip, copy = button(mirrored, "Statistics"), button(mirrored, "Copy this message")
    assert copy.mapTo(mirrored, copy.rect().center()).x() < strip.mapTo(mirrored, strip.rect().center()).x()
    row = QRectF(strip.mapTo(mirrored, strip.rect().topLeft()), strip.size())
    image = mirrored.grab().toImage()
    assert has_colour(image, LIGHT.ink2, row.adjusted(row.width() - 80, 0, 0, 0))
    assert not has_colour(image, LIGHT.ink2, row.adjusted(ACTIONS_WIDTH, 0, -200, 0))


def test_the_line_over_reasoning_is_pressed_at_the_right(mirrored: Transcript) -> None:
    mirrored.show_messages([thoughtful()])
    fold = mirrored.sections[0].blocks[0]
    assert not fold.press(QRectF(0, 0, 40, 24).center())
    assert fold.press(QRectF(mirrored.sections.column - 40, 0, 40, 24).center())


def test_a_note_begins_at_the_right(mirrored: Transcript) -> None:
    mirrored.show_messages([replace(thoughtful(), state=ReplyState.STOPPED)])
    (bar,) = mirrored.findChildren(NoteBar)
    image = bar.grab().toImage()
    at_end = {image.pixel(x, y) for x in range(image.width() - 120, image.width() - 12) for y in range(10, 32)}
    assert len(at_end) > 3
