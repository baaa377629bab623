"""Finder: where words stand in a chat; only messages that can hold them are parsed, a few at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.chat.blocks.block import Span
from app.chat.blocks.find import find_in, fold
from app.chat.transcript.sections import Sections
from app.chat.transcript.slices import Slices


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    section: int
    block: int
    span: Span


class Finder(QObject):
    """Hits in the order of the text; the current one is the last until another is chosen."""

    changed = Signal()  # more hits, or another is current

    def __init__(self, sections: Sections, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sections = sections
        self._slices = Slices(self)
        self._words = ""
        self._by_section: dict[int, dict[int, list[Span]]] = defaultdict(dict)
        self.hits: list[Hit] = []
        self.place = -1  # of the current hit among all

    @property
    def current(self) -> Hit | None:
        return self.hits[self.place] if 0 <= self.place < len(self.hits) else None

    @property
    def is_searching(self) -> bool:
        return self._slices.is_running

    def find(self, words: str) -> int:
        """Look for words; returns how many are found so far, `changed` tells of the rest."""
        self._drop()
        self._words = words
        if words.strip():
            self._slices.start(self._search(words), self._end)
        return len(self.hits)

    def again(self) -> None:
        """Look for the same words in a text that has changed, without moving the current hit far."""
        place = self.place
        self.find(self._words)
        self.place = min(place, len(self.hits) - 1)

    def clear(self) -> None:
        self._words = ""
        self._slices.stop()
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
        wanted = [fold(word)[0] for word in words.split()]
        for index in reversed(range(len(self._sections))):
            section = self._sections[index]
            folded = fold(section.text)[0]
            if all(word in folded for word in wanted):
                yield from self._search_section(index, words)
            yield

    def _search_section(self, index: int, words: str) -> Iterator[None]:
        found: list[Hit] = []
        contents = self._sections[index].contents
        was_made = contents.is_made
        for place, block in enumerate(contents.blocks):
            spans = list(find_in(block, words))
            if spans:
                self._by_section[index][place] = spans
                found += [Hit(index, place, span) for span in spans]
            yield
        if not was_made and not self._sections[index].is_made:
            contents.forget()  # a long chat's blocks would be many objects to keep and to look through for garbage
        self.hits[:0] = found
        self.place = self.place + len(found) if self.place >= 0 else len(found) - 1

    def _end(self) -> None:
        self.changed.emit()

    def _drop(self) -> None:
        self._slices.stop()
        self._by_section.clear()
        self.hits = []
        self.place = -1
