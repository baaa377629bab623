"""FoldedBlock: a block that is there while its fold is open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from app.chat.blocks.base import moved
from app.chat.blocks.block import BlockPaint, Deed
from app.chat.blocks.growing import PieceBlock
from app.chat.blocks.looks import is_mirrored
from app.chat.markdown_pieces import Piece, Place

_INSET = 14.0
_LINE_WIDTH = 2.0


class Fold(Protocol):
    is_open: bool


class FoldedBlock:
    """A block that is hidden while its fold is closed; with `has_line`, set in by a line at its start side."""

    def __init__(self, inner: PieceBlock, fold: Fold, *, has_line: bool = False) -> None:
        self._inner = inner
        self._inset = _INSET if has_line else 0.0
        self._fold = fold
        self._width = 0.0
        self._height = 0.0
        self._was_hidden: bool | None = None  # when its height was last asked for

    @property
    def gap(self) -> int:
        return 0 if self.is_hidden else max(self._inner.gap, 4)

    @property
    def joint(self) -> str:
        return self._inner.joint

    @property
    def source_start(self) -> int:
        return self._inner.source_start

    @property
    def length(self) -> int:
        return self._inner.length

    @property
    def is_hidden(self) -> bool:
        return not self._fold.is_open

    @property
    def is_laid_out(self) -> bool:
        return self._was_hidden == self.is_hidden and (self.is_hidden or self._inner.is_laid_out)

    def take(self, piece: Piece) -> bool:
        return self._inner.take(piece)

    def move(self, place: Place, source: str, source_start: int) -> None:
        self._inner.move(place, source, source_start)

    def estimate(self, width: float) -> float:
        return 0.0 if self.is_hidden else self._inner.estimate(width - self._inset)

    def set_width(self, width: float) -> float:
        self._width = width
        self._was_hidden = self.is_hidden
        self._height = 0.0 if self.is_hidden else self._inner.set_width(width - self._inset)
        return self._height

    def release(self) -> None:
        self._inner.release()

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        if self.is_hidden:
            return
        if self._inset:
            left = self._width - _LINE_WIDTH if is_mirrored() else 0.0
            rect = QRectF(left, -self.gap, _LINE_WIDTH, self._height + self.gap)
            painter.fillRect(rect, QColor(paint.tokens.line))
        painter.translate(self._left, 0)
        self._inner.paint(painter, moved(paint, self._left, 0))
        painter.translate(-self._left, 0)

    @property
    def _left(self) -> float:
        return 0.0 if is_mirrored() else self._inset

    def position_at(self, point: QPointF) -> int:
        return self._inner.position_at(point - QPointF(self._left, 0))

    def rect_of(self, position: int) -> QRectF:
        return QRectF() if self.is_hidden else self._inner.rect_of(position).translated(self._left, 0)

    def text(self, start: int, end: int) -> str:
        return self._inner.text(start, end)

    def reveal(self, position: int) -> None:
        self._fold.is_open = True
        self._inner.reveal(position)

    def measure_for(self, position: int, width: float) -> Iterator[None]:
        return self._inner.measure_for(position, width)

    def markdown(self) -> str:
        return self._inner.markdown()

    def markdown_of(self, start: int, end: int) -> str:
        return self._inner.markdown_of(start, end)

    def text_in_lists(self, start: int, end: int) -> str:
        return self._inner.text_in_lists(start, end)

    def link_at(self, point: QPointF) -> str:
        return self._inner.link_at(point - QPointF(self._left, 0))

    def deeds(self) -> Sequence[Deed]:
        if self.is_hidden:
            return ()
        return [replace(deed, rect=deed.rect.translated(self._left, 0)) for deed in self._inner.deeds()]

    def press(self, point: QPointF) -> bool:
        return not self.is_hidden and self._inner.press(point - QPointF(self._left, 0))

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        return self._inner.scroll_by(point - QPointF(self._left, 0), pixels)

    def describe(self) -> str:
        return self._inner.describe()
