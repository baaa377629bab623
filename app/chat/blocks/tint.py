"""Which part of a block's plain text the accepted tokens wrote."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from app.chat.blocks.block import Block, Span
from app.chat.blocks.units import UnitPlaces

_WINDOW = 400  # characters of marks that may stand between two characters of the plain text
_RUN_OF_TEXT = re.compile(r"[^\t\n]{1,3}")  # has to be the same, so that no mark is taken for text


def drafted_in(block: Block, drafted: Sequence[Span]) -> tuple[Span, ...]:
    """Spans in positions of the block; `drafted` are those of the message's text, in characters, in their order."""
    source, start = block.markdown(), block.source_start
    first = bisect_left(drafted, start, key=lambda span: span[1])
    near = [span for span in drafted[first:] if span[0] < start + len(source)] if source else []
    if not near:
        return ()
    plain = block.text(0, block.length)
    places = align(source, plain)
    spans: list[Span] = []
    for begin, end in near:
        span = bisect_left(places, begin - start), bisect_left(places, end - start)
        if span[0] == span[1]:
            continue
        if spans and spans[-1][1] == span[0]:
            span = spans.pop()[0], span[1]
        spans.append(span)
    units = UnitPlaces(plain)
    return tuple((units.of(begin), units.of(end)) for begin, end in spans)


@lru_cache(maxsize=256)
def align(source: str, plain: str) -> Sequence[int]:
    """For each character of the plain text where it stands in its source, never falling.

    What the source says otherwise (a bullet, a decoded entity) gets the place of what comes next.
    """
    offset = source.find(plain)
    if offset >= 0:
        return range(offset, offset + len(plain))
    places: list[int] = []
    place = 0
    for index, letter in enumerate(plain):
        if source[place : place + 1] != letter:
            run = _RUN_OF_TEXT.match(plain, index)
            found = source.find(run[0] if run else letter, place, place + _WINDOW)
            if found < 0:
                places.append(place)
                continue
            place = found
        places.append(place)
        place += 1
    return places
