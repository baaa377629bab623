"""Contents: the blocks of one message, made when they are first needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.chat.blocks.block import Block, Span
from app.chat.transcript.small_text import SmallText
from app.conversations.records import Message

_CHARACTER, _LINE, _PARAGRAPH = 7.4, 24.0, 12.0  # px, on average, of a text that is not laid out


class Contents:
    """`blocks` are the same objects as long as their text stays; only the last ones change while a reply runs."""

    def __init__(self, message: Message) -> None:
        self._message = message
        self._blocks: list[Block] | None = None

    @property
    def blocks(self) -> list[Block]:
        if self._blocks is None:
            self._blocks = self._make()
        return self._blocks

    def append(self, text: str) -> int:
        """Add text at the end; returns the index of the first block that changed."""
        self._message = replace(self._message, text=self._message.text + text)
        self._blocks = None
        return 0

    def take(self, message: Message, *, has_other_text: bool) -> None:
        """The message has another state, or another text."""
        self._message = message
        if has_other_text:
            self._blocks = None

    def drafted(self, block: int) -> Sequence[Span]:
        """What accepted drafts wrote of a block."""
        return ()

    def _make(self) -> list[Block]:
        text = self._message.text
        return [SmallText(text, "reply", "ink", 24)] if text else []


def estimate_height(text: str, width: float) -> float:
    """Height of a text for a width without parsing or laying it out."""
    if not text:
        return 0.0
    num_lines = text.count("\n")
    num_paragraphs = text.count("\n\n")
    wrapped = len(text) * _CHARACTER / max(1.0, width)
    return (wrapped + num_lines / 2 + 0.5) * _LINE + num_paragraphs * (_PARAGRAPH - _LINE / 2)


def find_in(block: Block, words: str) -> list[tuple[int, int]]:
    text = block.text(0, block.length).casefold()
    places: list[tuple[int, int]] = []
    place = text.find(words.casefold())
    while place >= 0:
        places.append((place, place + len(words)))
        place = text.find(words.casefold(), place + len(words))
    return places
