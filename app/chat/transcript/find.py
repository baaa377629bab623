"""Finder: where words stand in a chat as it is shown; only messages that can hold them are parsed, a few at a time."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.chat.blocks.block import Span
from app.chat.blocks.find import find_in
from app.chat.transcript.holding import can_hold
from app.chat.transcript.sections import Sections
from app.chat.transcript.slices import Slices


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    section: int
    block: int
    span: Span


class Finder(QObject):
    """Hits in the order of the text; the current one is the last until another is chosen."""

    changed = Signal()  # more hits, or others, or another is current
    found = Signal()  # a new search has ended: its current hit is to be shown

    def __init__(self, sections: Sections, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sections = sections
        self._slices = Slices(self)
        self._words = ""
        self._by_section: dict[int, dict[int, list[Span]]] = defaultdict(dict)
        self._is_stale = False  # the last message grew while it was searched
        self.hits: list[Hit] = []
        self.place = -1  # of the current hit among all

    @property
    def current(self) -> Hit | None:
        return self.hits[self.place] if 0 <= self.place < len(self.hits) else None

    @property
    def is_searching(self) -> bool:
        return self._slices.is_running

    def find(self, words: str, section: int | None = None) -> int:
        """Look for words; returns how many are found so far, `changed` tells of the rest.

        The first hit of a section is current in the end where one is named.
        """
        self._drop()
        self._words = words
        if words.strip():
            self._slices.start(self._search(words), lambda: self._end(section))
        return len(self.hits)

    def again(self) -> None:
        """Look for the same words in other messages; the current hit stays, or is the one nearest to it."""
        current = self.current
        self._drop()
        if self._words.strip():
            self._slices.start(self._search(self._words), lambda: self._end_again(current))

    def follow(self, first: int) -> None:
        """The last message has other blocks from `first` on: look there, and leave the current hit as it is."""
        if not self._words.strip():
            return
        if self.is_searching:
            self._is_stale = True
            return
        section = len(self._sections) - 1
        begin = bisect_left(self.hits, Hit(section, first, (0, 0)))
        held = self._by_section[section]
        for block in [block for block in held if block >= first]:
            del held[block]
        self.hits[begin:] = self._hits_in(section, first)
        self.place = min(self.place, len(self.hits) - 1) if self.place >= 0 else len(self.hits) - 1
        self.changed.emit()

    def clear(self) -> None:
        self._words = ""
        self._drop()
        self.changed.emit()

    def step(self, by: int) -> Hit | None:
        """Go on to another hit, from the last to the first."""
        if self.hits:
            self.place = (self.place + by) % len(self.hits)
        self.changed.emit()
        return self.current

    def found_in(self, section: int) -> dict[int, list[Span]]:
        return self._by_section.get(section, {})

    def current_in(self, section: int) -> tuple[int, Span] | None:
        hit = self.current
        return (hit.block, hit.span) if hit is not None and hit.section == section else None

    def _search(self, words: str) -> Iterator[None]:
        """From the end up: what was written last is looked for first."""
        for index in reversed(range(len(self._sections))):
            for can in can_hold(self._sections[index].text, words.split()):
                if can:
                    yield from self._search_section(index)
                yield

    def _search_section(self, index: int) -> Iterator[None]:
        found: list[Hit] = []
        contents = self._sections[index].contents
        was_made = contents.is_made
        for place in range(len(contents.blocks)):
            hits = self._hits_of(index, place)
            found += hits
            yield
            if hits:  # any of them may be shown: the last lies deepest in what is folded
                yield from contents.blocks[place].measure_for(hits[-1].span[0], self._sections.column)
        if not was_made and not self._sections[index].is_made:
            contents.forget()  # a long chat's blocks would be many objects to keep and to look through for garbage
        self.hits[:0] = found
        self.place = self.place + len(found) if self.place >= 0 else len(found) - 1

    def _hits_in(self, section: int, first: int) -> list[Hit]:
        places = range(first, len(self._sections[section].contents.blocks))
        return [hit for place in places for hit in self._hits_of(section, place)]

    def _hits_of(self, section: int, place: int) -> list[Hit]:
        blocks = self._sections[section].contents.blocks
        spans = list(find_in(blocks[place], self._words)) if place < len(blocks) else []
        if spans:
            self._by_section[section][place] = spans
        return [Hit(section, place, span) for span in spans]

    def _end(self, section: int | None) -> None:
        if section is not None:
            self.place = min(bisect_left(self.hits, Hit(section, 0, (0, 0))), len(self.hits) - 1)
        self._follow_late()
        self.found.emit()
        self.changed.emit()

    def _end_again(self, current: Hit | None) -> None:
        if current is not None:
            self.place = min(bisect_left(self.hits, current), len(self.hits) - 1)
        self._follow_late()
        self.changed.emit()

    def _follow_late(self) -> None:
        if self._is_stale:
            self._is_stale = False
            self.follow(0)

    def _drop(self) -> None:
        self._slices.stop()
        self._is_stale = False
        self._by_section.clear()
        self.hits = []
        self.place = -1
