"""What tests of the transcript put into it, and how they look at it."""

from __future__ import annotations

from PySide6.QtGui import QTextDocument

from app.chat.transcript import Transcript
from app.chat.transcript_formats import kind_of
from app.conversations.records import Message, ReplyState
from engine.messages import Delta, Statistics


def look_of(document: QTextDocument) -> list[tuple[object, ...]]:
    """Every block with its text and formats, without the room around tables."""
    look: list[tuple[object, ...]] = []
    block = document.begin()
    while block.isValid():
        parts = [(part.fragment().text(), part.fragment().charFormat().fontWeight()) for part in block]  # type: ignore[attr-defined]
        margins = (block.blockFormat().topMargin(), block.blockFormat().leftMargin())
        if kind_of(block) != "spacer":
            look.append((kind_of(block), block.text(), margins, parts))
        block = block.next()
    return look


def message(role: str, text: str, state: ReplyState = ReplyState.COMPLETE, number: int = 1) -> Message:
    return Message(f"m{number}", "c", None, role, text, state=state, drafter="ngram")


def delta(text: str, place: int = 1) -> Delta:
    return Delta(1, text, (place,), 0, Statistics(num_tokens=place, num_rounds=place, tokens_per_second=50.0))


def start_reply(transcript: Transcript, question: str = "Why?") -> None:
    transcript.add_message(message("user", question, number=1))
    transcript.add_message(message("assistant", "", ReplyState.RUNNING, number=2))
