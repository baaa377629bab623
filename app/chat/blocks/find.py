"""Finding words in a block, whatever their case and marks."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from app.chat.blocks.block import Block, Span
from app.chat.blocks.units import to_units

_RUNS = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]+")


def find_in(block: Block, words: str) -> tuple[Span, ...]:
    """Where words stand in a block, in its positions; hidden blocks have hits too."""
    sought, _ = fold(words)
    if not sought:
        return ()
    text = block.text(0, block.length)
    folded, places = fold(text)
    spans: list[Span] = []
    start = folded.find(sought)
    while start >= 0:
        end = start + len(sought)
        first, last = (start, end) if places is None else (places[start], places[end - 1] + 1)
        spans.append((to_units(text, first), to_units(text, last)))
        start = folded.find(sought, end)
    return tuple(spans)


def fold(text: str) -> tuple[str, list[int] | None]:
    """Without case and marks; with where each character came from, None where that is its own place."""
    if text.isascii():
        return text.lower(), None
    folded: list[str] = []
    places: list[int] = []
    for run in _RUNS.finditer(text):
        if run[0].isascii():
            folded.append(run[0].lower())
            places.extend(range(run.start(), run.end()))
            continue
        for place, letter in enumerate(run[0], start=run.start()):
            folded.append(_fold_letter(letter))
            places.extend([place] * len(folded[-1]))
    return "".join(folded), places


@lru_cache(maxsize=4096)
def _fold_letter(letter: str) -> str:
    parts = unicodedata.normalize("NFKD", letter)
    return "".join(part for part in parts if unicodedata.category(part) != "Mn").casefold()
