"""Sections: all messages of a chat one under another; only what is near the view is parsed and laid out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from app.chat.transcript import measures
from app.chat.transcript.contents import Reading
from app.chat.transcript.section import Section
from app.conversations.records import Message


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in the text that the view is held at: a block, and how far below its top."""

    section: int
    block: int  # -1: the section itself
    offset: float


class Sections:
    """Heights are estimates until laid out, so places in pixels hold until the next `lay_out` only."""

    def __init__(self) -> None:
        self.items: list[Section] = []
        self.reading = Reading()
        self.tops: list[float] = []
        self.column = float(measures.COLUMN)
        self.top = float(measures.TOP)  # above the first
        self.height = 0.0  # of everything
        self._laid_out: set[Section] = set()

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Section:
        return self.items[index]

    def __iter__(self) -> Iterator[Section]:
        return iter(self.items)

    @property
    def last(self) -> Section | None:
        return self.items[-1] if self.items else None

    def find(self, message_id: str) -> int | None:
        """Index of the section of a message."""
        places = (index for index, section in enumerate(self.items) if section.message.id == message_id)
        return next(places, None)

    def show(self, messages: list[Message]) -> None:
        """Hold these messages; what is known of one that stays as it was is kept."""
        known = {section.message.id: section for section in self.items}
        self.items = [_section_for(message, known.get(message.id), self.reading) for message in messages]
        self.mark_left_out()
        self.place_all()

    def add(self, message: Message) -> Section:
        section = Section(message, self.reading)
        if self.items:
            self.items[-1].note_height = 0
        self.items.append(section)
        self.mark_left_out()
        self.place_again(len(self.items) - 2, len(self.items) - 1)
        return section

    def set_siblings(self, siblings: Mapping[str, tuple[str, ...]]) -> None:
        for section in self.items:
            section.siblings = siblings.get(section.message.id, ())

    def mark_left_out(self) -> None:
        """Mark the oldest messages that the prompt has not: the most that any message of the path names."""
        most = max((section.message.num_left_out for section in self.items), default=0)
        for index, section in enumerate(self.items):
            section.is_left_out = index < most
            num_above = most if index == most else 0
            if section.num_left_out_above != num_above:
                section.num_left_out_above = num_above
                section.place(self.column)

    # Places

    def set_column(self, column: float) -> None:
        if column != self.column:
            self.column = column
            self.place_all()

    def place_all(self) -> None:
        for section in self.items:
            section.place(self.column)
        self.place_tops()

    def place_again(self, *indices: int) -> None:
        """Say again where some sections' parts stand, and all that follows."""
        for index in indices:
            if index >= 0:
                self.items[index].place(self.column)
        self.place_tops()

    def place_tops(self) -> None:
        heights = (section.parts.height for section in self.items)
        self.tops = list(accumulate(heights, initial=self.top))
        self.height = self.tops.pop() + measures.BOTTOM

    def index_at(self, y: float) -> int:
        return max(0, bisect_right(self.tops, y) - 1)

    def between(self, top: float, bottom: float) -> range:
        """Indices of the sections that are seen between."""
        if not self.items:
            return range(0)
        return range(self.index_at(top), self.index_at(bottom) + 1)

    def lay_out(self, top: float, bottom: float) -> bool:
        """Lay out what stands between, from the bottom up; True where a height differs from what was known."""
        has_changed = False
        for index in self.between(top, bottom):
            section = self.items[index]
            if not section.is_made:
                section.make()
            self._laid_out.add(section)
            start = top - self.tops[index]
            end = bottom - self.tops[index]
            section.body.lay_out(start - section.parts.body, end - section.parts.body)
            section.details.lay_out(start - section.parts.details, end - section.parts.details)
            has_changed |= section.place(self.column)
        if has_changed:
            self.place_tops()
        return has_changed

    def release(self, top: float, bottom: float) -> None:
        """Drop what only painting needs, outside of top and bottom."""
        near = {self.items[index] for index in self.between(top, bottom)}
        for section in self._laid_out - near:
            for block in section.blocks:
                block.release()
        self._laid_out &= near
        for index in self.between(top, bottom):
            section, start = self.items[index], self.tops[index]
            if section.is_made:
                section.body.release(top - start - section.parts.body, bottom - start - section.parts.body)

    # Holding the view

    def anchor_at(self, y: float) -> Anchor | None:
        if not self.items:
            return None
        index = self.index_at(y)
        section = self.items[index]
        inside = y - self.tops[index] - section.parts.body
        if not section.body.tops or inside < 0 or inside > section.body.height:
            return Anchor(index, -1, y - self.tops[index])
        block = section.body.index_at(inside)
        return Anchor(index, block, inside - section.body.tops[block])

    def y_of(self, anchor: Anchor) -> float:
        if anchor.section >= len(self.items):
            return self.height
        section = self.items[anchor.section]
        start = self.tops[anchor.section]
        if not 0 <= anchor.block < len(section.body.tops):
            return start + anchor.offset
        return start + section.parts.body + section.body.tops[anchor.block] + anchor.offset


def _section_for(message: Message, known: Section | None, reading: Reading) -> Section:
    if known is None or known.text != message.text or known.message.attachments != message.attachments:
        return Section(message, reading)
    known.change(message)
    known.note_height = 0
    return known
