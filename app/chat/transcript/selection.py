"""Selection: what is marked in the transcript, over blocks and messages, and what of it is copied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QTextBoundaryFinder

from app.chat.blocks.block import Span
from app.chat.transcript.marked import join_markdown, join_text
from app.chat.transcript.sections import Sections


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a block of a section."""

    section: int
    block: int
    position: int


class Selection:
    """Everything between where it began and where the pointer is; both ends by word after a double click."""

    def __init__(self, sections: Sections) -> None:
        self._sections = sections
        self._origin: tuple[Place, Place] | None = None  # what the first click took
        self._head: tuple[Place, Place] | None = None
        self._unit = 1  # clicks: 1 a position, 2 a word, 3 a paragraph

    @property
    def is_empty(self) -> bool:
        return self._origin is None or self.start == self.end

    @property
    def start(self) -> Place:
        assert self._origin
        assert self._head
        return min(self._origin[0], self._head[0])

    @property
    def end(self) -> Place:
        assert self._origin
        assert self._head
        return max(self._origin[1], self._head[1])

    def clear(self) -> None:
        self._origin = self._head = None

    def begin(self, place: Place, num_clicks: int = 1) -> None:
        self._unit = num_clicks
        self._origin = self._head = self._grow(place)

    def extend(self, place: Place) -> None:
        """Move the end that follows the pointer."""
        if self._origin is None:
            self.begin(place)
        self._head = self._grow(place)

    def select_all(self) -> None:
        if not len(self._sections):
            return
        self._unit = 1
        first, last = Place(0, 0, 0), Place(len(self._sections), 0, 0)
        self._origin, self._head = (first, first), (last, last)

    def span_of(self, section: int, block: int, length: int) -> Span | None:
        """The part of a block that is marked."""
        if self.is_empty:
            return None
        first, last = Place(section, block, 0), Place(section, block, length)
        if last < self.start or first > self.end:
            return None
        start = self.start.position if (self.start.section, self.start.block) == (section, block) else 0
        end = self.end.position if (self.end.section, self.end.block) == (section, block) else length
        return (start, end) if start < end else None

    def covers(self, section: int) -> bool:
        """Whether all of a message is marked."""
        return not self.is_empty and self.start <= Place(section, 0, 0) and self.end >= Place(section + 1, 0, 0)

    def copied(self, *, as_markdown: bool) -> Iterator[str]:
        """What is marked, part by part: one for each message, so that a long chat can be copied in slices."""
        if self.is_empty:
            return
        for index in range(self.start.section, min(self.end.section + 1, len(self._sections))):
            section = self._sections[index]
            if as_markdown and self.covers(index):
                yield section.text
                continue
            marked = [
                (block, span)
                for place, block in enumerate(section.blocks)
                if not block.is_hidden and (span := self.span_of(index, place, block.length))
            ]
            yield join_markdown(section.text, marked) if as_markdown else join_text(marked)

    def _grow(self, place: Place) -> tuple[Place, Place]:
        """The word or paragraph around a place."""
        if self._unit == 1:
            return place, place
        block = self._sections[place.section].blocks[place.block]
        text = block.text(0, block.length)
        start, end = word_around(text, place.position) if self._unit == 2 else line_around(text, place.position)
        return Place(place.section, place.block, start), Place(place.section, place.block, end)


def word_around(text: str, position: int) -> Span:
    """The word at a position, or the single character there where no word is; all in UTF-16 units."""
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Word, text)
    finder.setPosition(position)
    start = position if finder.isAtBoundary() else finder.toPreviousBoundary()
    finder.setPosition(position)
    end = finder.toNextBoundary()
    return (max(0, start), end) if end > 0 else (position, position)


def line_around(text: str, position: int) -> Span:
    """The line at a position, in UTF-16 units."""
    units = text.encode("utf-16-le", "surrogatepass")
    break_unit = "\n".encode("utf-16-le")
    starts = [0]
    place = -1
    while (place := units.find(break_unit, place + 1)) >= 0:
        if place % 2 == 0:
            starts.append(place // 2 + 1)
    start = max(one for one in starts if one <= position)
    later = [one - 1 for one in starts if one > position]
    return start, min(later, default=len(units) // 2)
