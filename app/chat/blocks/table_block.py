"""TableBlock: a table without a frame, scrolled sideways by itself where it is wider than its column."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from itertools import product

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from app.chat.blocks.base import PlacedBlock
from app.chat.blocks.block import BlockPaint, Deed
from app.chat.blocks.deeds import links_of
from app.chat.blocks.looks import CELL, REPLY, Look
from app.chat.blocks.paragraph import Paragraph
from app.chat.blocks.sideways import Sideways
from app.chat.blocks.small_words import draw_words
from app.chat.blocks.table_cells import CELL_PADDING, TableCells
from app.chat.blocks.units import slice_units
from app.chat.markdown_pieces import Piece, Table
from app.figures import write_count
from app.theme.glyphs import draw_focus_ring

FOLD_ROWS = 200
MORE_ROWS = 500
_FOOT = 36.0
_BAR = 8.0


class TableBlock(PlacedBlock):
    def __init__(self, piece: Table, source: str, source_start: int, look: Look = REPLY) -> None:
        super().__init__(piece.place, source, source_start)
        self._cells = TableCells(piece.rows, piece.at_end, CELL if look is REPLY else look, piece.centred)
        self._sideways = Sideways()
        self._limit = FOLD_ROWS if len(piece.rows) > FOLD_ROWS else 0  # 0: one that grows is never folded
        self._needs_layout = True

    def take(self, piece: Piece) -> bool:
        if not isinstance(piece, Table) or len(piece.at_end) != self._cells.num_columns:
            return False
        if piece.centred and piece.centred != self._cells.centred:
            return False
        self._needs_layout = self._cells.take(piece.rows, piece.at_end) or self._needs_layout
        return True

    @property
    def num_rows(self) -> int:
        """That are shown, the header among them."""
        return min(self._limit or len(self._cells.rows), len(self._cells.rows))

    @property
    def _is_folded(self) -> bool:
        return self.num_rows < len(self._cells.rows)

    @property
    def length(self) -> int:
        return self._cells.starts[-1] - 1

    @property
    def is_laid_out(self) -> bool:
        return not self._needs_layout and self._cells.is_settled

    @property
    def _height(self) -> float:
        foot = _FOOT if self._is_folded else 1.0
        return self._cells.tops[-1] + foot + (_BAR if self._sideways.most else 0.0)

    def estimate(self, width: float) -> float:
        return 36.0 * self.num_rows + (_FOOT if self._is_folded else 1.0)

    def set_width(self, width: float) -> float:
        if width != self._width or not self.is_laid_out:
            self._width = width
            self._cells.set_width(width - self.inset, self.num_rows)
            self._sideways.set_widths(self._cells.width, width - self.inset)
            self._needs_layout = False
        return self._height

    def release(self) -> None:
        self._cells.release()
        self._needs_layout = True

    @property
    def _room(self) -> QRectF:
        return QRectF(self.inset, 0, self._width - self.inset, self._cells.tops[-1] + 1)

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        self.paint_quotes(painter, paint.tokens, self._height)
        self.paint_mark_beside(painter, paint.tokens, self._cells.tops[1] / 2)
        room = self._room
        painter.save()
        painter.setClipRect(room, Qt.ClipOperation.IntersectClip)
        first = max(0, bisect_right(self._cells.tops, paint.clip.top()) - 1)
        last = min(self.num_rows, bisect_right(self._cells.tops, paint.clip.bottom()))
        for index in range(first, last):
            self._paint_row(painter, paint, index)
        painter.restore()
        self._sideways.paint_fades(painter, room, paint.tokens.canvas)
        self._sideways.paint_bar(painter, room.adjusted(0, 0, 0, _BAR), paint.tokens)
        if self._is_folded:
            draw_words(painter, self._fold_words, paint.tokens.target, self._fold_rect)
        if paint.has_focus:
            draw_focus_ring(painter, paint.tokens, room.adjusted(-6, -2, 6, 4), 7)

    def _paint_row(self, painter: QPainter, paint: BlockPaint, index: int) -> None:
        for column in range(self._cells.num_columns):
            origin = self._origin_of(index, column)
            start = self._cells.starts[index * self._cells.num_columns + column]
            cell = self._cells.cell(index, column)
            cell.paint_grounds(painter, origin, paint, start)
            cell.paint(painter, origin, paint)
            if paint.hover is not None:
                cell.underline(painter, origin, paint, paint.hover - origin)
        bottom = round(self._cells.tops[index + 1])
        painter.fillRect(QRectF(self.inset, bottom, self._width - self.inset, 1), QColor(paint.tokens.line))

    def _origin_of(self, index: int, column: int) -> QPointF:
        left = self.inset + self._cells.lefts[column] - self._sideways.offset
        return QPointF(left, self._cells.tops[index] + CELL_PADDING)

    @property
    def _fold_words(self) -> str:
        num_rest = len(self._cells.rows) - self.num_rows
        if num_rest <= MORE_ROWS:
            return f"Show all, {write_count(len(self._cells.rows) - 1, 'rows')}"
        return f"Show {MORE_ROWS:,} more of {write_count(len(self._cells.rows) - 1, 'rows')}"

    @property
    def _fold_rect(self) -> QRectF:
        return QRectF(self.inset, self._height - _FOOT, self._width - self.inset, _FOOT)

    def press(self, point: QPointF) -> bool:
        if not self._is_folded or not self._fold_rect.contains(point):
            return False
        self._show_rows(self.num_rows + MORE_ROWS)
        return True

    def _show_rows(self, num_rows: int) -> None:
        self._limit = num_rows
        self._needs_layout = True

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        return self._sideways.scroll_by(pixels)

    def _cell_at(self, point: QPointF) -> tuple[Paragraph, int, QPointF]:
        """The cell nearest to a point, where it begins in the text, and the point within it."""
        index = min(max(0, bisect_right(self._cells.tops, point.y()) - 1), self.num_rows - 1)
        x = point.x() - self.inset + self._sideways.offset
        column = min(max(0, bisect_right(self._cells.lefts, x) - 1), self._cells.num_columns - 1)
        start = self._cells.starts[index * self._cells.num_columns + column]
        return self._cells.cell(index, column), start, point - self._origin_of(index, column)

    def position_at(self, point: QPointF) -> int:
        cell, start, within = self._cell_at(point)
        return start + cell.position_at(within)

    def rect_of(self, position: int) -> QRectF:
        index, column, within = self._cells.place_of(position)
        if index >= self.num_rows:
            return QRectF(0, self._height, 1, 1)
        return self._cells.cell(index, column).rect_of(within).translated(self._origin_of(index, column))

    def reveal(self, position: int) -> None:
        index, column, _ = self._cells.place_of(position)
        if index >= self.num_rows:
            self._show_rows(index + MORE_ROWS)
        left = self._cells.lefts[column] if self._cells.widths else 0.0
        self._sideways.show(left, left + 60)

    def link_at(self, point: QPointF) -> str:
        cell, _, within = self._cell_at(point)
        found = cell.span_at(within)
        return found[0].style.href if found else ""

    def deeds(self) -> Sequence[Deed]:
        if not self.is_laid_out:
            return ()
        deeds: list[Deed] = []
        for index, column in product(range(self.num_rows), range(self._cells.num_columns)):
            if any(span.style.href for span in self._cells.rows[index][column]):
                deeds += links_of(self._cells.cell(index, column), self._origin_of(index, column))
        if self._is_folded:
            name = self._fold_words.replace("\u00a0", " ")
            deeds.append(Deed(name, self._fold_rect, partial(self._show_rows, self.num_rows + MORE_ROWS)))
        return deeds

    def text(self, start: int, end: int) -> str:
        return slice_units(self._cells.text(), start, end)

    def describe(self) -> str:
        rows = write_count(len(self._cells.rows) - 1, "rows")
        columns = write_count(self._cells.num_columns, "columns")
        return self.named(f"Table, {rows}, {columns}".replace("\u00a0", " "))
