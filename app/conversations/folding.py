"""Text as a search compares it: without case, accents and other marks; and where in the text a match stands."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
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
    """Where any of the folded words stands in a text, joined where they touch, in order."""
    folded = fold(text)
    places = [match.span() for word in words for match in re.finditer(re.escape(word), folded)]
    if places and not text.isascii():
        ends = _ends_of(text)
        places = [_span_in(text, ends, place) for place in places]
    spans: list[Span] = []
    for start, end in sorted(places):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return tuple(spans)


def _span_in(text: str, ends: Sequence[int], place: Span) -> Span:
    """A span of the folded text in the text, with the accents that stand behind it."""
    start, end = bisect_right(ends, place[0]), bisect_right(ends, place[1] - 1) + 1
    while end < len(text) and ends[end] == ends[end - 1]:
        end += 1
    return start, end


def _ends_of(text: str) -> list[int]:
    """For each character, where its part of the folded text ends."""
    return list(accumulate(len(fold(character)) for character in text))


def _place_in(text: str, folded_place: int) -> int:
    if text.isascii():
        return folded_place
    left = folded_place
    for start in range(0, len(text), _PIECE):
        length = len(fold(text[start : start + _PIECE]))
        if left < length:
            return start + bisect_right(_ends_of(text[start : start + _PIECE]), left)
        left -= length
    return len(text)


@cache
def _marks() -> re.Pattern[str]:
    """Everything that stands above, under or through another character; those beyond U+FFFF are no one's accents."""
    return re.compile(f"[{''.join(re.escape(chr(one)) for one in range(0x10000) if unicodedata.combining(chr(one)))}]")
