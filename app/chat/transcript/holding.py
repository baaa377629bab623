"""Which messages can hold words, by their source alone, so that only those are parsed for a search."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.chat.blocks.find import fold

_SLICE = 8_000  # characters that are folded in one turn
_MARKS = {code: None for code in range(128) if not chr(code).isalnum()}
_TARGET = re.compile(r"\]\([^()\n]*\)")  # of a link, which is not shown


def can_hold(text: str, words: Sequence[str]) -> Iterator[bool]:
    """True at the end where a text can show all of the words; each that comes before is no more than the end of a turn.

    Signs may be marks of the source that are not shown, so a word is looked for by its letters and digits alone.
    """
    letters = [_letters(fold(word)[0]) for word in words]
    shown = _TARGET.sub("]", text)
    for variant in (text, shown) if shown != text else (text,):
        parts = []
        for place in range(0, len(variant), _SLICE):
            parts.append(_letters(fold(variant[place : place + _SLICE])[0]))
            yield False
        folded = "".join(parts)
        if all(word in folded for word in letters):
            yield True
            return


def _letters(folded: str) -> str:
    return folded.translate(_MARKS)
