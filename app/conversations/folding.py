"""Text as a search compares it: without case, accents and other marks; and where in the text a match stands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

Span = tuple[int, int]  # half-open, in characters
_PIECE = 4096  # characters that are folded at a time when a place is sought


def fold(text: str) -> str:
    """Each character is folded by itself, so that the fold of a text is that of its parts, one after the other."""
    if text.isascii():
        return text.lower()
    return _marks().sub("", unicodedata.normalize("NFKD", text.casefold()).casefold())


def words_of(query: str) -> tuple[str, ...]:
    """The folded words of what was typed, each once; none where nothing can be looked for."""
    words = (fold(word.replace("\0", "")) for word in query.split())
    return tuple(dict.fromkeys(word for word in words if word))


def first_place(text: str, words: Sequence[str]) -> int | None:
    """Where the first of the folded words stands first that the text has; None where it lacks any of them."""
    folded = fold(text)
    places = [folded.find(word) for word in words]
    return None if not places or min(places) < 0 else _place_in(text, min(places))


def spans_of(text: str, words: Sequence[str]) -> tuple[Span, ...]:
    """Where any of the folded words stands in a short text, joined where they touch, in order."""
    ends = list(accumulate(len(fold(character)) for character in text))
    folded = fold(text)
    marked = [False] * len(text)
    for word in words:
        for match in re.finditer(re.escape(word), folded):
            for index in range(_character_at(ends, match.start()), _character_at(ends, match.end() - 1) + 1):
                marked[index] = True
    for index, character in enumerate(text):
        marked[index] = marked[index] or (_at(marked, index - 1) and not fold(character))  # its accents go with it
    edges = [index for index in range(len(text) + 1) if _at(marked, index) != _at(marked, index - 1)]
    return tuple(zip(edges[::2], edges[1::2], strict=True))


def _at(marked: Sequence[bool], index: int) -> bool:
    return 0 <= index < len(marked) and marked[index]


def _character_at(ends: Sequence[int], place: int) -> int:
    """The character that a place of the folded text comes from."""
    return next(index for index, end in enumerate(ends) if end > place)


def _place_in(text: str, folded_place: int) -> int:
    if text.isascii():
        return folded_place
    left = folded_place
    for start in range(0, len(text), _PIECE):
        length = len(fold(text[start : start + _PIECE]))
        if left < length:
            ends = list(accumulate(len(fold(character)) for character in text[start : start + _PIECE]))
            return start + _character_at(ends, left)
        left -= length
    return len(text)


@cache
def _marks() -> re.Pattern[str]:
    """Everything that stands above, under or through another character; those beyond U+FFFF are no one's accents."""
    return re.compile(f"[{''.join(re.escape(chr(one)) for one in range(0x10000) if unicodedata.combining(chr(one)))}]")
