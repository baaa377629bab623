"""Block: one paragraph, list, code block, table or formula of a message, laid out and painted on its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from app.theme.tokens import Tokens

Span = tuple[int, int]  # half-open, in positions of a block


@dataclass(frozen=True, slots=True)
class BlockPaint:
    """What a block is painted with; positions are those of its plain text, in UTF-16 units."""

    tokens: Tokens
    clip: QRectF  # the part that is seen, in the block's coordinates
    selection: Span | None = None
    drafted: Sequence[Span] = ()  # tinted; empty where the tint is off
    found: Sequence[Span] = ()  # hits of the search
    current: Span | None = None  # the hit that is outlined
    has_focus: bool = False  # the keyboard reads this block
    hover: QPointF | None = None


@dataclass(frozen=True, slots=True)
class Deed:
    """Something of a block's own that a key can do as a click does."""

    name: str  # verb and object, as a screen reader says it
    rect: QRectF  # in the block's coordinates
    do: Callable[[], object]


class Block(Protocol):
    """Its place is its owner's: coordinates begin at its own top left corner, and `gap` is kept free above it.

    A block holds no layout before `set_width` or after `release`; its height stays known. Positions run from 0 to
    `length`: every UTF-16 unit of `text(0, length)`, so that a selection may begin and end anywhere. A block whose
    height changes by itself (`press`, or a formula that has come: `changes().changed`) is not laid out until
    `set_width` is called again.
    """

    @property
    def gap(self) -> int: ...

    @property
    def joint(self) -> str:
        """What stands between the text before and its own where both are copied: two line ends, one or none."""
        ...

    @property
    def source_start(self) -> int:
        """Where `markdown()` begins in the text of the message, in characters."""
        ...

    @property
    def length(self) -> int:
        """Positions of its plain text."""
        ...

    @property
    def is_laid_out(self) -> bool: ...

    @property
    def is_hidden(self) -> bool:
        """Whether it is folded away: it then takes no room, but keeps its text."""
        ...

    def estimate(self, width: float) -> float:
        """Height for a width without laying out."""
        ...

    def set_width(self, width: float) -> float:
        """Lay out for a width, unless that is done; returns the height."""
        ...

    def release(self) -> None:
        """Drop what only painting needs."""
        ...

    def paint(self, painter: QPainter, paint: BlockPaint) -> None: ...

    def position_at(self, point: QPointF) -> int:
        """Position nearest to a point; a selection is drawn between two of them."""
        ...

    def rect_of(self, position: int) -> QRectF:
        """Where the caret stands before a position."""
        ...

    def reveal(self, position: int) -> None:
        """Unfold and scroll within the block so that a position is seen, such as that of a hit."""
        ...

    def measure_for(self, position: int, width: float) -> Iterator[None]:
        """Do beforehand, in steps, what would make `reveal` and laying out for a width slow."""
        ...

    def text(self, start: int, end: int) -> str:
        """Plain text between two positions, as it is copied."""
        ...

    def markdown(self) -> str:
        """Its source."""
        ...

    def markdown_of(self, start: int, end: int) -> str:
        """A part as it is copied as Markdown: in its marks, links with addresses that stand elsewhere in the source."""
        ...

    def text_in_lists(self, start: int, end: int) -> str:
        """`text` where it is copied with other blocks: each line set in as its list is, an item's mark before it."""
        ...

    def link_at(self, point: QPointF) -> str:
        """Address of a link under a point, or ""."""
        ...

    def deeds(self) -> Sequence[Deed]:
        """What can be done here now, in the order of reading, links among it; nothing where it is not laid out.

        Ask again after one is done, and take it as a `press`: the block may be higher, and another deed in its place.
        """
        ...

    def press(self, point: QPointF) -> bool:
        """Take a click on something of its own, such as Copy or a fold; True where there was such a thing."""
        ...

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        """Scroll sideways what lies under a point; False where nothing there can scroll further that way."""
        ...

    def describe(self) -> str:
        """Its name for a screen reader, such as "Code, Rust, 14 lines"; its text for a paragraph."""
        ...
