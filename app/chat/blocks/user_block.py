"""UserBlock: a user's message exactly as it was written, on a ground of its own at the end side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import ceil

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from app.chat.blocks.base import PlacedBlock
from app.chat.blocks.block import BlockPaint, Deed
from app.chat.blocks.looks import USER, font_of, is_mirrored, text_scale
from app.chat.blocks.small_words import draw_words, words_width
from app.chat.blocks.units import count_units, slice_units
from app.chat.blocks.user_lines import UserLines
from app.chat.markdown_pieces import Place
from app.figures import write_count
from app.theme.glyphs import draw_round

SHARE = 0.78  # of the column
FOLD_LINES, FOLD_CHARACTERS = 40, 20_000
MORE_LINES, MORE_CHARACTERS = 1_500, 60_000
_PADDING, _INSET = 16.0, 12.0
_RADIUS = 12
_FOOT = 28.0


class UserBlock(PlacedBlock):
    def __init__(self, text: str, gap: int = 0) -> None:
        super().__init__(Place(gap=gap), text, 0)
        self._length = count_units(text)
        self._num_lines = text.count("\n") + 1
        self._shown = _beginning(text, FOLD_LINES, FOLD_CHARACTERS)  # characters
        self._lines: UserLines | None = None  # while it is laid out
        self._bubble = QRectF()
        self._scale = 0.0

    @property
    def length(self) -> int:
        return self._length

    @property
    def is_laid_out(self) -> bool:
        return self._lines is not None and self._scale == text_scale()

    @property
    def _is_folded(self) -> bool:
        return self._shown < len(self._source)

    def estimate(self, width: float) -> float:
        per_line = max(10.0, (width * SHARE - 2 * _PADDING) / (0.52 * font_of(USER).pixelSize()))
        lines = self._source[: self._shown].split("\n")
        num_rows = sum(max(1, ceil(len(line) / per_line)) for line in lines)
        return num_rows * USER.row_height + 2 * _INSET + (_FOOT if self._is_folded else 0)

    def set_width(self, width: float) -> float:
        if width != self._width or not self.is_laid_out:
            self._width = width
            self._scale = text_scale()
            self._lay_out(width)
        return self._bubble.height()

    def _lay_out(self, width: float) -> None:
        self._lines = self._lines or UserLines(self._source[: self._shown])
        self._lines.set_width(width * SHARE - 2 * _PADDING)
        widest = min(width * SHARE - 2 * _PADDING, self._lines.widest + 1)
        if self._is_folded:
            widest = max(widest, words_width(self._fold_words, "interface"))
        height = self._lines.tops[-1] + 2 * _INSET + (_FOOT if self._is_folded else 0)
        taken = ceil(widest) + 2 * _PADDING
        self._bubble = QRectF(0 if is_mirrored() else width - taken, 0, taken, height)

    def release(self) -> None:
        if self._lines is not None:
            self._lines.release()

    @property
    def _laid_out(self) -> UserLines:
        assert self._lines is not None, "a message is laid out before it is used"
        return self._lines

    @property
    def _origin(self) -> QPointF:
        return self._bubble.topLeft() + QPointF(_PADDING, _INSET)

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        draw_round(painter, self._bubble, _RADIUS, paint.tokens.sunken)
        lines = self._laid_out
        first = lines.at_height(paint.clip.top() - self._origin.y())
        for index in range(first, lines.at_height(paint.clip.bottom() - self._origin.y()) + 1):
            place = self._origin + QPointF(0, lines.tops[index])
            lines.paragraph(index).paint_grounds(painter, place, paint, lines.starts[index])
            lines.paragraph(index).paint(painter, place, paint)
        if self._is_folded:
            draw_words(painter, self._fold_words, paint.tokens.target, self._fold_rect, "interface")

    @property
    def _fold_words(self) -> str:
        lines = write_count(self._num_lines, "lines")
        is_last = _beginning(self._source, MORE_LINES, MORE_CHARACTERS, self._shown) == len(self._source)
        return f"Show all, {lines}" if is_last else f"Show more of {lines}"

    @property
    def _fold_rect(self) -> QRectF:
        top = self._bubble.bottom() - _INSET - _FOOT + 4
        return QRectF(self._origin.x(), top, self._bubble.width() - 2 * _PADDING, _FOOT)

    def press(self, point: QPointF) -> bool:
        if not self._is_folded or not self._fold_rect.contains(point):
            return False
        self._show_more(self._shown)
        return True

    def deeds(self) -> Sequence[Deed]:
        if not self._is_folded or not self.is_laid_out:
            return ()
        name = self._fold_words.replace("\u00a0", " ")
        return (Deed(name, self._fold_rect, partial(self._show_more, self._shown)),)

    def _show_more(self, start: int) -> None:
        self._shown = _beginning(self._source, MORE_LINES, MORE_CHARACTERS, start)
        self._lines = None

    def reveal(self, position: int) -> None:
        if self._is_folded and position >= count_units(self._source[: self._shown]):
            self._show_more(self._start_for(position))

    def measure_for(self, position: int, width: float) -> Iterator[None]:
        if self._is_folded and position >= count_units(self._source[: self._shown]):
            end = _beginning(self._source, MORE_LINES, MORE_CHARACTERS, self._start_for(position))
            yield from UserLines(self._source[:end]).measure_ahead(width * SHARE - 2 * _PADDING)

    def _start_for(self, position: int) -> int:
        """What is shown at least, in characters, for a position to be seen."""
        return max(self._shown, len(slice_units(self._source, 0, position)))

    def position_at(self, point: QPointF) -> int:
        lines = self._laid_out
        index = lines.at_height(point.y() - self._origin.y())
        within = point - self._origin - QPointF(0, lines.tops[index])
        return lines.starts[index] + lines.paragraph(index).position_at(within)

    def rect_of(self, position: int) -> QRectF:
        lines = self._laid_out
        index = lines.at_position(position)
        rect = lines.paragraph(index).rect_of(position - lines.starts[index])
        return rect.translated(self._origin + QPointF(0, lines.tops[index]))

    def text(self, start: int, end: int) -> str:
        return slice_units(self._source, start, end)

    def markdown_of(self, start: int, end: int) -> str:
        return self.text(start, end)

    def describe(self) -> str:
        return self._source[: self._shown]


def _beginning(text: str, num_lines: int, num_characters: int, start: int = 0) -> int:
    """How many characters of a text stand in so many lines after `start`."""
    end = start
    for _ in range(num_lines):
        end = text.find("\n", end) + 1
        if not end:
            return min(len(text), start + num_characters)
    return min(end - 1, start + num_characters)
