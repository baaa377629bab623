"""Pieces: a reply's Markdown as plain values, each with the part of the source that it was written in."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.chat.markdown_inline import Span

TASK_OPEN, TASK_DONE = "\u2610", "\u2611"  # marks of items that begin with [ ] or [x]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a piece stands: in the source, in characters, and in the lists and quotes around it."""

    start: int = 0
    end: int = 0
    gap: int = 0  # px above
    joint: str = ""  # between the text before and its own, where both are copied
    level: int = 0  # depth of the list
    num_quotes: int = 0
    num_quotes_on: int = 0  # of them, those that the piece before is in too
    mark: str = ""  # "•", "3." or that of a task before the first piece of a list's item


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph, a heading or one paragraph of a list's item; without spans, an item that has nothing."""

    place: Place
    spans: tuple[Span, ...]
    heading: int = 0  # its level; 0 for none

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Code:
    place: Place
    code: str
    language: str = ""
    is_closed: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    place: Place
    rows: tuple[tuple[tuple[Span, ...], ...], ...]  # the first is the header
    at_end: tuple[bool, ...]  # columns set at the end side
    centred: tuple[bool, ...] = ()  # columns set in the middle


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula on lines of its own; `source` has no marks."""

    place: Place
    source: str
    is_closed: bool = True


@dataclass(frozen=True, slots=True)
class Rule:
    place: Place


Piece = Text | Code | Table | Formula | Rule


def moved(piece: Piece, shift: int) -> Piece:
    """The same piece where its source begins so many characters later."""
    place = replace(piece.place, start=piece.place.start + shift, end=piece.place.end + shift)
    return replace(piece, place=place)
