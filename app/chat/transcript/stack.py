"""Stack: blocks one under another, their heights estimated until they are laid out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from app.chat.blocks.block import Block


class Stack:
    """Coordinates begin at the top of the first block, whose gap is not used."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.tops: list[float] = []
        self.heights: list[float] = []
        self.width = 0.0

    @property
    def height(self) -> float:
        return self.tops[-1] + self.heights[-1] if self.tops else 0.0

    def take(self, blocks: Sequence[Block], width: float, first: int = 0) -> None:
        """Hold these blocks; those before `first` are the ones held already, at the same width."""
        first = 0 if width != self.width else min(first, len(self.tops))
        self.blocks[first:] = blocks[first:]
        self.width = width
        del self.tops[first:], self.heights[first:]
        for block in self.blocks[first:]:
            self.heights.append(block.set_width(width) if block.is_laid_out else block.estimate(width))
            self.tops.append(self._top_of(len(self.tops)))

    def lay_out(self, top: float, bottom: float) -> bool:
        """Lay out every block between; True where a height differs from what was known."""
        has_changed = False
        index = self.index_at(top)
        while index < len(self.blocks):
            self.tops[index] = self._top_of(index)
            if self.tops[index] > bottom:
                break
            height = self.blocks[index].set_width(self.width)
            has_changed |= height != self.heights[index]
            self.heights[index] = height
            index += 1
        if has_changed:
            for later in range(index, len(self.blocks)):
                self.tops[later] = self._top_of(later)
        return has_changed

    def release(self, top: float, bottom: float) -> None:
        """Drop what painting needs outside of top and bottom."""
        for index, block in enumerate(self.blocks):
            is_near = self.tops[index] <= bottom and self.tops[index] + self.heights[index] >= top
            if block.is_laid_out and not is_near:
                block.release()

    def index_at(self, y: float) -> int:
        """The block at a height, or the nearest above it; 0 where there is none."""
        return max(0, bisect_right(self.tops, y) - 1)

    def between(self, top: float, bottom: float) -> Iterator[int]:
        """Indices of the blocks that are seen between."""
        for index in range(self.index_at(top), len(self.blocks)):
            if self.tops[index] > bottom:
                return
            if self.tops[index] + self.heights[index] >= top:
                yield index

    def _top_of(self, index: int) -> float:
        if index == 0:
            return 0.0
        return self.tops[index - 1] + self.heights[index - 1] + self.blocks[index].gap
