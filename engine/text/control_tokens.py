"""Finds control tokens spelled out in a text, so that they can be read as plain characters."""

from __future__ import annotations

import re
from collections.abc import Iterable


class ControlTokens:
    """The spellings that a tokenizer would turn into control tokens."""

    def __init__(self, spellings: Iterable[str]) -> None:
        longest_first = sorted({text for text in spellings if len(text) > 1}, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    def find(self, text: str) -> list[tuple[int, int]]:
        """Where control tokens stand in a text, as a tokenizer reads it from its beginning."""
        return [match.span() for match in self._pattern.finditer(text)]

    def split(self, text: str) -> list[str]:
        """Cut a text after the first character of each control token in it; overlapping ones are all cut."""
        pieces, start = [], 0
        match = self._pattern.search(text)
        while match:
            cut = match.start() + 1
            pieces.append(text[start:cut])
            start = cut
            match = self._pattern.search(text, cut)
        return [*pieces, text[start:]]
