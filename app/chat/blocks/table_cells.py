"""TableCells: the rows of a table, measured as they come and laid out where they are seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from app.chat.blocks.looks import CELL, CELL_HEAD, Look, text_scale
from app.chat.blocks.paragraph import Paragraph
from app.chat.blocks.table_widths import BETWEEN, fit_columns, holds_numbers, measure_cell
from app.chat.blocks.units import count_units
from app.chat.markdown_inline import Span

CELL_PADDING = 8.0  # above and below its text
_MAX_KEPT = 3_000

TableRow = tuple[tuple[Span, ...], ...]


class TableCells:
    def __init__(
        self, rows: Sequence[TableRow], at_end: Sequence[bool], look: Look = CELL, centred: Sequence[bool] = ()
    ) -> None:
        self._look = look
        self.rows = tuple(rows)
        self.widths: list[float] = []
        self.tops: list[float] = [0.0]  # of each row that is shown, and where one after them would begin
        self._at_end = tuple(at_end)
        self.centred = tuple(centred) or (False,) * len(at_end)
        self._measured: list[list[float]] = []
        self._scale = 0.0
        self._kept: dict[tuple[int, int], Paragraph] = {}
        self._starts: list[int] | None = None

    def take(self, rows: Sequence[TableRow], at_end: Sequence[bool]) -> bool:
        """Have other rows; False where nothing differs."""
        same = next((i for i, (old, new) in enumerate(zip(self.rows, rows, strict=False)) if old != new), None)
        if same is None and len(rows) == len(self.rows) and tuple(at_end) == self._at_end:
            return False
        first = min(len(self.rows), len(rows)) if same is None else same
        self.rows, self._at_end, self._starts = tuple(rows), tuple(at_end), None
        del self._measured[first:]
        self._kept = {place: cell for place, cell in self._kept.items() if place[0] < first}
        return True

    @property
    def num_columns(self) -> int:
        return len(self._at_end)

    @property
    def width(self) -> float:
        return sum(self.widths) + BETWEEN * (self.num_columns - 1)

    @property
    def lefts(self) -> list[float]:
        return list(accumulate((each + BETWEEN for each in self.widths), initial=0.0))

    def set_width(self, width: float, num_rows: int) -> None:
        """Find widths of columns and heights of the first rows."""
        if self._scale != text_scale():
            self._scale = text_scale()
            self._measured.clear()
            self._kept.clear()
        for index in range(len(self._measured), num_rows):
            look = self._look_of(index)
            self._measured.append([measure_cell(cell, look) for cell in self.rows[index]])
        shown = self._measured[:num_rows]
        widths = fit_columns([max(row[column] for row in shown) for column in range(self.num_columns)], width)
        if widths != self.widths:
            self.widths = widths
            self._kept.clear()
        heights = (self._height_of(index) for index in range(num_rows))
        self.tops = list(accumulate(heights, initial=0.0))

    def _height_of(self, index: int) -> float:
        look = self._look_of(index)
        height = float(look.row_height)
        for column, cell in enumerate(self.rows[index]):
            has_formula = any(span.style.is_formula for span in cell)
            if has_formula or self._measured[index][column] > self.widths[column]:
                height = max(height, self.cell(index, column).height)
        return height + 2 * CELL_PADDING

    def cell(self, index: int, column: int) -> Paragraph:
        """Laid out."""
        made = self._kept.get((index, column))
        if made is None:
            if len(self._kept) > _MAX_KEPT:
                self._kept.clear()
            is_at_end = self.is_at_end(column)
            is_centred = self.centred[column]
            spans, look = self.rows[index][column], self._look_of(index)
            made = Paragraph(spans, look, is_at_end=is_at_end, is_centred=is_centred)
            self._kept[index, column] = made
        made.lay_out(self.widths[column])
        return made

    def is_at_end(self, column: int) -> bool:
        """Those that are written so, and numbers beside names."""
        if self.centred[column]:
            return False
        return self._at_end[column] or (column > 0 and holds_numbers([row[column] for row in self.rows[1:50]]))

    def _look_of(self, index: int) -> Look:
        return self._look if index else CELL_HEAD

    @property
    def is_settled(self) -> bool:
        """Whether no formula has come, and no other text size, since the cells were laid out."""
        return self._scale == text_scale() and all(cell.is_laid_out for cell in self._kept.values())

    def release(self) -> None:
        self._kept.clear()

    @property
    def starts(self) -> list[int]:
        """Where each cell begins in the plain text, row by row; the last is where a cell after it would."""
        if self._starts is None:
            lengths = (sum(count_units(span.text) for span in cell) + 1 for row in self.rows for cell in row)
            self._starts = list(accumulate(lengths, initial=0))
        return self._starts

    def place_of(self, position: int) -> tuple[int, int, int]:
        """Row, column, and the position within that cell."""
        number = min(max(0, bisect_right(self.starts, position) - 1), len(self.starts) - 2)
        return *divmod(number, self.num_columns), position - self.starts[number]

    def text(self) -> str:
        rows = ("\t".join("".join(span.text for span in cell) for cell in row) for row in self.rows)
        return "\n".join(rows)
