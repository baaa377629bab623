"""CodeLines: the lines of a code block as they are painted, laid out where they are seen."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from app.chat.blocks.block import BlockPaint
from app.chat.blocks.code_text import CodeText
from app.chat.blocks.looks import CODE, metrics_of, text_scale
from app.chat.blocks.paragraph import Paragraph
from app.chat.blocks.units import count_units, is_narrow, slice_units
from app.chat.code_colours import Row
from app.chat.markdown_inline import Span, Style

_PART = 1_000  # UTF-16 units of a long line that are laid out together
_MAX_KEPT = 400


class CodeLines:
    """Coordinates begin at the first line's top left corner; text never wraps and is always left to right."""

    def __init__(self, text: CodeText) -> None:
        self.text = text
        self._kept: dict[tuple[int, int], tuple[Row, Paragraph]] = {}
        self._widths: dict[tuple[float, str], float] = {}  # of parts whose letters have several widths

    @property
    def width(self) -> float:
        return self.text.num_columns * metrics_of(CODE).horizontalAdvance("m")

    def release(self) -> None:
        self._kept.clear()
        self._widths.clear()

    def paint(self, painter: QPainter, origin: QPointF, paint: BlockPaint, num_lines: int) -> None:
        """Paint what of the first lines lies in the clip, which is in the painter's coordinates."""
        height = CODE.row_height
        first = max(0, int((paint.clip.top() - origin.y()) // height))
        last = min(num_lines, int((paint.clip.bottom() - origin.y()) // height) + 1)
        if len(self._kept) > _MAX_KEPT:
            self._kept.clear()
        for index in range(first, last):
            for start, left, part in self._parts(index, paint.clip.translated(-origin.x(), -origin.y())):
                place = origin + QPointF(left, height * index)
                part.paint_grounds(painter, place, paint, self.text.starts[index] + start)
                part.paint(painter, place, paint)

    def _parts(self, index: int, clip: QRectF) -> Iterator[tuple[int, float, Paragraph]]:
        """Parts of a line that lie in a clip: where each starts, its left edge, and its layout."""
        line = self.text.lines[index]
        left = 0.0
        for start in range(0, max(1, len(line)), _PART):
            if left > clip.right():
                return
            width = self._width_of(index, start)
            if left + width >= clip.left():
                yield count_units(line[:start]), left, self._part(index, start)
            left += width

    def _part(self, index: int, start: int) -> Paragraph:
        line = self.text.lines[index]
        row = self.text.row(index) if len(line) <= _PART else ((line[start : start + _PART], ""),)
        kept = self._kept.get((index, start))
        if kept is not None and (kept[0] is row or kept[0] == row) and kept[1].is_laid_out:
            return kept[1]
        spans = [Span(text, Style(is_code=True, tone=tone)) for text, tone in row]
        made = Paragraph(spans, CODE, wraps=False, is_code=True)
        made.lay_out(0)
        self._kept[index, start] = row, made
        return made

    def position_at(self, point: QPointF, num_lines: int) -> int:
        index = min(max(0, int(point.y() // CODE.row_height)), num_lines - 1)
        strip = QRectF(point.x(), 0, 0, 1)
        found = next(self._parts(index, strip), None)
        if found is None or (point.x() < 0 and not found[0]):
            is_left = point.x() <= 0
            return self.text.starts[index] + (0 if is_left else count_units(self.text.lines[index]))
        start, left, part = found
        return self.text.starts[index] + start + part.position_at(QPointF(point.x() - left, 0))

    def rect_of(self, position: int) -> QRectF:
        index = self.text.line_at(position)
        column = position - self.text.starts[index]
        line = self.text.lines[index]
        letter = column if is_narrow(line) else len(slice_units(line, 0, column))
        start = min(letter, max(0, len(line) - 1)) // _PART * _PART
        left = self._left_of(index, start)
        x = left + self._part(index, start).rect_of(column - count_units(line[:start])).left()
        return QRectF(x, index * CODE.row_height, 1, CODE.row_height)

    def _left_of(self, index: int, start: int) -> float:
        return sum(self._width_of(index, place) for place in range(0, start, _PART))

    def _width_of(self, index: int, start: int) -> float:
        """Px of a part of a line; where letters have the same width, without a layout."""
        line = self.text.lines[index][start : start + _PART]
        if line.isascii() and "\t" not in line:
            return metrics_of(CODE).horizontalAdvance("m") * len(line)
        key = text_scale(), line
        if key not in self._widths:
            self._widths[key] = self._part(index, start).natural_width
        return self._widths[key]

    def slice(self, start: int, end: int) -> str:
        return slice_units(self.text.code, start, end)
