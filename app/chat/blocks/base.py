"""PlacedBlock: what most kinds of block have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from app.chat.blocks.block import BlockPaint, Deed
from app.chat.blocks.looks import QUOTE_INDENT, REPLY, Look, font_of, indent, metrics_of, text_scale
from app.chat.markdown_pieces import TASK_DONE, TASK_OPEN, Place
from app.theme.glyphs import draw_dot, draw_round
from app.theme.symbols import draw_symbol
from app.theme.tokens import Tokens

_QUOTE_LINE = 2
_BULLET_X = 9.0
_BULLET_RADIUS = 2.25
_NUMBER_ROOM = 6.0
_BOX = 13
LIST_INDENT = "  "  # of text that is copied


def moved(paint: BlockPaint, x: float, y: float) -> BlockPaint:
    """For what is painted with its own top left corner at a place of the block."""
    hover = None if paint.hover is None else paint.hover - QPointF(x, y)
    return replace(paint, clip=paint.clip.translated(-x, -y), hover=hover)


class PlacedBlock:
    """A block made of one piece: where it stands, its source, and answers for what it has not got."""

    def __init__(self, place: Place, source: str, source_start: int) -> None:
        self.place = place
        self.gap = place.gap
        self.joint = place.joint
        self.source_start = source_start
        self._source = source
        self._width = -1.0

    @property
    def length(self) -> int:
        return 0

    def text(self, start: int, end: int) -> str:
        return ""

    def move(self, place: Place, source: str, source_start: int) -> None:
        """Take the place of the same piece in a longer source."""
        self.place = place
        self.gap = place.gap
        self.joint = place.joint
        self.source_start = source_start
        self._source = source

    @property
    def inset(self) -> float:
        """Px at the start side that lists and quotes around it take; half of the width at most."""
        wanted = float(indent() * self.place.level + QUOTE_INDENT * self.place.num_quotes)
        return min(wanted, self._width // 2) if self._width > 0 else wanted

    @property
    def is_hidden(self) -> bool:
        return False

    def paint_quotes(self, painter: QPainter, tokens: Tokens, height: float, *, is_mirrored: bool = False) -> None:
        """The lines of the quotes around it; those that go on reach up to the block before."""
        for index in range(self.place.num_quotes):
            left = QUOTE_INDENT * index
            if left >= self._width // 2:
                return
            top = -self.gap if index < self.place.num_quotes_on else 0
            x = self._width - left - _QUOTE_LINE if is_mirrored else left
            painter.fillRect(QRectF(x, top, _QUOTE_LINE, height - top), QColor(tokens.line))

    def paint_mark(
        self, painter: QPainter, tokens: Tokens, baseline: float, look: Look = REPLY, *, is_mirrored: bool = False
    ) -> None:
        """The mark of the list's item that the block is first in: bullets of fonts are heavy, numbers end before it."""
        mark = self.place.mark
        if not mark:
            return
        if mark in (TASK_OPEN, TASK_DONE):
            self._paint_task(painter, tokens, baseline - metrics_of(look).capHeight() / 2, is_mirrored=is_mirrored)
            return
        width = 0.0 if mark == "•" else metrics_of(look).horizontalAdvance(mark)
        distance = indent() - _BULLET_X * text_scale() if mark == "•" else _NUMBER_ROOM + width
        start = self.inset - distance
        x = self._width - start - width if is_mirrored else start
        if mark == "•":
            middle = baseline - metrics_of(look).xHeight() / 2
            draw_dot(painter, tokens.ink2, QPointF(x, middle), _BULLET_RADIUS)
            return
        painter.setFont(font_of(look))
        painter.setPen(QColor(tokens.ink2))
        painter.drawText(QPointF(x, baseline), mark)

    def _paint_task(self, painter: QPainter, tokens: Tokens, middle: float, *, is_mirrored: bool) -> None:
        """A box, with a check where the task is done; nothing that can be pressed."""
        size = round(_BOX * text_scale())
        start = self.inset - _NUMBER_ROOM - size
        box = QRectF(self._width - start - size if is_mirrored else start, round(middle - size / 2), size, size)
        is_done = self.place.mark == TASK_DONE
        draw_round(painter, box, 3, tokens.sunken if is_done else None, tokens.edge)
        if is_done:
            draw_symbol(painter, "check", tokens.ink, box)

    def paint_mark_beside(self, painter: QPainter, tokens: Tokens, middle: float) -> None:
        """With the middle of its capitals at a height."""
        self.paint_mark(painter, tokens, round(middle + metrics_of(REPLY).capHeight() / 2))

    def named(self, name: str) -> str:
        """What a screen reader says, after the mark."""
        return f"{self.place.mark} {name}" if self.place.mark else name

    def markdown(self) -> str:
        return self._source

    def markdown_of(self, start: int, end: int) -> str:
        is_whole = start <= 0 and end >= self.length
        return self._source.strip("\n") if is_whole else self.text(start, end)

    def text_in_lists(self, start: int, end: int) -> str:
        text = self.text(start, end)
        if not self.place.level:
            return text
        lead = LIST_INDENT * self.place.level
        mark = self.place.mark and not start
        first = f"{LIST_INDENT * (self.place.level - 1)}{self.place.mark} " if mark else lead
        return first + text.replace("\n", f"\n{lead}")

    def link_at(self, point: QPointF) -> str:
        return ""

    def deeds(self) -> Sequence[Deed]:
        return ()

    def press(self, point: QPointF) -> bool:
        return False

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        return False

    def reveal(self, position: int) -> None:
        return None

    def measure_for(self, position: int, width: float) -> Iterator[None]:
        return iter(())

    def release(self) -> None:
        return None

    def position_at(self, point: QPointF) -> int:
        return 0

    def rect_of(self, position: int) -> QRectF:
        return QRectF(0, 0, 1, 1)
