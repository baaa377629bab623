"""TranscriptPlaces: what lies where in the view: sections, blocks, positions in their text."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from app.chat.blocks.block import Block
from app.chat.transcript.section import Section
from app.chat.transcript.sections import Sections
from app.chat.transcript.selection import Place


class TranscriptPlaces(QAbstractScrollArea):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sections = Sections()

    @property
    def last(self) -> Section | None:
        return self.sections.last

    @property
    def offset(self) -> int:
        return self.verticalScrollBar().value()

    @property
    def column_left(self) -> int:
        return (self.width() - round(self.sections.column)) // 2

    def made(self, index: int) -> Section:
        """A section whose blocks are held."""
        section = self.sections[index]
        if not section.is_made:
            section.make()
            self.sections.place_again(index)
        return section

    def rect_of_section(self, index: int) -> QRect:
        """A section in the viewport."""
        top = self.sections.tops[index] - self.offset
        height = self.sections[index].parts.height
        return QRectF(self.column_left, top, self.sections.column, height).toRect()

    def rect_of_block(self, index: int, block: int) -> QRectF:
        """A block of a section in the viewport, as wide as its stack."""
        section = self.made(index)
        is_body = block < len(section.body.blocks)
        stack = section.body if is_body else section.details
        place = block if is_body else block - len(section.body.blocks)
        top = self.sections.tops[index] + section.top_of_block(block) - self.offset
        return QRectF(self.column_left, top, stack.width, stack.heights[place])

    def block_at(self, point: QPointF) -> tuple[int, int, QPointF] | None:
        """Section and block under a point of the viewport, and the point in the block."""
        nearest = self._nearest(point)
        if nearest is None:
            return None
        index, block = nearest
        rect = self.rect_of_block(index, block)
        return (index, block, point - rect.topLeft()) if rect.contains(point) else None

    def place_at(self, point: QPointF) -> Place | None:
        """The position that is nearest to a point of the viewport."""
        nearest = self._nearest(point)
        if nearest is None:
            return None
        index, block = nearest
        rect = self.rect_of_block(index, block)
        shown = self._laid_out(index, block)
        if point.y() < rect.top():
            return Place(index, block, 0)
        if point.y() > rect.bottom():
            return Place(index, block, shown.length)
        return Place(index, block, shown.position_at(point - rect.topLeft()))

    def _nearest(self, point: QPointF) -> tuple[int, int] | None:
        if not len(self.sections):
            return None
        y = point.y() + self.offset
        index = self.sections.index_at(y)
        section = self.made(index)
        while not section.blocks:
            if index == 0:
                return None
            index -= 1
            section = self.made(index)
        inside = y - self.sections.tops[index]
        if section.details.blocks and inside >= section.parts.details:
            return index, len(section.body.blocks) + section.details.index_at(inside - section.parts.details)
        if not section.body.blocks:
            return index, 0
        return index, section.body.index_at(inside - section.parts.body)

    def _laid_out(self, index: int, block: int) -> Block:
        section = self.sections[index]
        shown = section.blocks[block]
        if not shown.is_laid_out:
            shown.set_width(section.body.width)
        return shown

    def buttons_of(self, section: Section) -> list[QWidget]:
        """Buttons of a message that are seen, from the start."""
        return []
