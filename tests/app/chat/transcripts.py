"""What tests of the transcript put into it, and how they look at it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from app.chat.transcript import Transcript
from app.conversations.records import Message, ReplyState
from engine.messages import Delta, Statistics

NUMBERS = Statistics(num_prompt=7, num_tokens=5, num_rounds=5, tokens_per_second=50.0)


def message(role: str, text: str, state: ReplyState = ReplyState.COMPLETE, number: int = 1) -> Message:
    return Message(f"m{number}", "c", None, role, text, state=state, drafter="ngram")


def delta(text: str, place: int = 1) -> Delta:
    return Delta(1, text, (place,), 0, Statistics(num_tokens=place, num_rounds=place, tokens_per_second=50.0))


def start_reply(transcript: Transcript, question: str = "Why?") -> None:
    transcript.add_message(message("user", question, number=1))
    transcript.add_message(message("assistant", "", ReplyState.RUNNING, number=2))


def long_chat(num_pairs: int, reply: str = "It is less dense. " * 30) -> list[Message]:
    """Questions and answers with ids of their own: "m1", "m2" …"""
    pairs = [
        (message("user", f"Why {one}?", number=2 * one + 1), message("assistant", reply, number=2 * one + 2))
        for one in range(num_pairs)
    ]
    return [each for pair in pairs for each in pair]


def point_of(transcript: Transcript, section: int, position: int, block: int = 0) -> QPoint:
    """Where a position of a block lies in the viewport."""
    shown = transcript.sections[section].blocks[block]
    inside = shown.rect_of(position)
    return (
        transcript.rect_of_block(section, block).topLeft() + QPointF(inside.left() + 1, inside.center().y())
    ).toPoint()


def drag(transcript: Transcript, start: QPoint, end: QPoint) -> None:
    viewport = transcript.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(viewport, (start + end) / 2)
    QTest.mouseMove(viewport, end)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=end)


def button(transcript: Transcript, name: str) -> QAbstractButton:
    """The one that is seen and has this name, or begins with it."""
    every = transcript.findChildren(QAbstractButton)
    return next(one for one in every if one.isVisible() and one.accessibleName().startswith(name))
