"""Finding words in a block, whatever their case and marks."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from app.chat.blocks.block import Block, Span
from app.chat.blocks.units import UnitPlaces


def find_in(block: Block, words: str) -> tuple[Span, ...]:
    """Where words stand in a block, in its positions; hidden blocks have hits too."""
    sought, _ = fold(words)
    if not sought:
        return ()
    text = block.text(0, block.length).replace("\n", " ")  # a line that was broken by its writer reads on
    folded, places = fold(text)
    units = UnitPlaces(text)
    spans: list[Span] = []
    start = folded.find(sought)
    while start >= 0:
        end = start + len(sought)
        first, last = (start, end) if places is None else (places[start], places[end - 1] + 1)
        spans.append((units.of(first), units.of(last)))
        start = folded.find(sought, end)
    return tuple(spans)


def fold(text: str) -> tuple[str, list[int] | None]:
    """Without case and marks; with where each character came from, None where that is its own place."""
    if text.isascii():
        return text.lower(), None
    letters = {ord(letter): _fold_letter(letter) for letter in set(text)}
    if all(len(folded) == 1 for folded in letters.values()):
        return text.translate(letters), None
    places = [place for place, letter in enumerate(text) for _ in letters[ord(letter)]]
    return text.translate(letters), places


@lru_cache(maxsize=4096)
def _fold_letter(letter: str) -> str:
    parts = unicodedata.normalize("NFKD", letter)
    return "".join(part for part in parts if unicodedata.category(part) != "Mn").casefold()
