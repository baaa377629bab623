"""Paragraph: spans set in lines of equal height; what blocks, cells and lines of code are made of."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter, itemgetter
from unicodedata import bidirectional

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextLayout, QTextLine, QTextOption

from app.chat.blocks.block import BlockPaint
from app.chat.blocks.block import Span as Positions
from app.chat.blocks.formulas import draw_formula, formulas
from app.chat.blocks.looks import REPLY, Look, font_of, metrics_of, text_scale
from app.chat.blocks.set_text import SetText, set_spans
from app.chat.blocks.units import count_units
from app.chat.markdown_inline import Span
from app.theme.glyphs import draw_round
from app.theme.tokens import LIGHT, Tokens

NO_WIDTH = 1e7  # px, for text that is not broken into lines
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_WRAP = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
_NO_WRAP = QTextOption.WrapMode.ManualWrap


@dataclass(frozen=True, slots=True)
class Row:
    """One line as it is set: shown positions, and its place from the paragraph's top."""

    start: int
    end: int
    top: float
    bottom: float
    baseline: float


class Paragraph:
    """Text of one direction, that of its first strong letter unless `is_code`; positions count UTF-16 units."""

    def __init__(
        self,
        spans: Sequence[Span],
        look: Look = REPLY,
        *,
        wraps: bool = True,
        is_code: bool = False,
        is_at_end: bool = False,
        is_centred: bool = False,
    ) -> None:
        self.spans = tuple(spans)
        self.look = look
        self.plain = "".join(span.text for span in self.spans)
        self.length = count_units(self.plain)
        self.rows: list[Row] = []
        self.height = 0.0
        self.natural_width = 0.0
        self._wraps = wraps
        self._is_code = is_code
        self._is_at_end = is_at_end
        self._is_centred = is_centred
        self._width = -1.0
        self._scale = 0.0
        self._tokens: Tokens = LIGHT
        self._set: SetText | None = None
        self._layout: QTextLayout | None = None

    @cached_property
    def has_right_to_left(self) -> bool:
        return not self.plain.isascii() and _RIGHT_TO_LEFT.search(self.plain) is not None

    @cached_property
    def is_right_to_left(self) -> bool:
        """Whether its first strong letter is written from right to left."""
        if self._is_code or not self.has_right_to_left:
            return False
        kinds = (bidirectional(letter) for letter in self.plain)
        return next((kind != "L" for kind in kinds if kind in ("L", "R", "AL")), False)

    @property
    def is_laid_out(self) -> bool:
        is_same = self._layout is not None and self._scale == text_scale()
        return is_same and not any(map(formulas().is_known, self._text.waiting))

    @property
    def _text(self) -> SetText:
        assert self._set is not None, "a paragraph is laid out before it is used"
        return self._set

    @property
    def _lines(self) -> QTextLayout:
        assert self._layout is not None, "a paragraph is laid out before it is used"
        return self._layout

    def release(self) -> None:
        self._layout = None
        self._set = None

    def lay_out(self, width: float) -> float:
        """Break into lines for a width, unless that is done; returns the height."""
        if self._width != width or not self.is_laid_out:
            self._width = width
            self._lay_out()
        return self.height

    def _lay_out(self) -> None:
        self._scale = text_scale()
        self._set = set_spans(self.spans, self.look, self._tokens)
        layout = QTextLayout(self._set.shown, font_of(self.look))
        option = QTextOption()
        option.setWrapMode(_WRAP if self._wraps else _NO_WRAP)
        direction = Qt.LayoutDirection.RightToLeft if self.is_right_to_left else Qt.LayoutDirection.LeftToRight
        option.setTextDirection(direction)
        is_right = self.is_right_to_left or self._is_at_end
        side = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
        side = Qt.AlignmentFlag.AlignHCenter if self._is_centred else side
        option.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute)
        layout.setTextOption(option)
        layout.setFormats(self._set.formats)
        layout.setCacheEnabled(True)
        self._layout = layout
        self.rows = []
        top = 0.0
        widest = 0.0
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(self._width if self._wraps else NO_WIDTH)
            top = self._place(line, top)
            widest = max(widest, line.naturalTextWidth())
        layout.endLayout()
        self.height = max(top, float(self.look.row_height))
        self.natural_width = widest

    def _place(self, line: QTextLine, top: float) -> float:
        """Put a line where its baseline belongs; returns its bottom."""
        metrics = metrics_of(self.look)
        above = (self.look.row_height - metrics.ascent() - metrics.descent()) / 2 + metrics.ascent()
        below = self.look.row_height - above
        start, end = line.textStart(), line.textStart() + line.textLength()
        for formula in self._text.formulas:
            if start <= formula.shown < end:
                above = max(above, formula.drawing.ascent + 1)
                below = max(below, formula.drawing.descent + 1)
        baseline = round(top + above)
        line.setPosition(QPointF(0, baseline - line.ascent()))
        bottom = top + round(above + below)
        self.rows.append(Row(start, end, top, bottom, baseline))
        return bottom

    # Painting

    def paint(self, painter: QPainter, origin: QPointF, paint: BlockPaint, ink: str = "") -> None:
        """Text and formulas; grounds are painted before, by `paint_grounds`."""
        if paint.tokens is not self._tokens:
            self._tokens = paint.tokens
            self._lay_out()
        colour = ink or getattr(paint.tokens, self.look.ink)
        painter.setPen(QColor(colour))
        clip = paint.clip.translated(-origin.x(), -origin.y()).adjusted(-2, -self.look.row_height, 2, 0)
        self._lines.draw(painter, origin, [], clip.translated(origin))
        for formula in self._text.formulas:
            row = self._row_at(formula.shown)
            left = self._x(formula.shown, row) + origin.x()
            draw_formula(painter, formula.drawing, colour, left + 1, origin.y() + row.baseline)

    def paint_grounds(self, painter: QPainter, origin: QPointF, paint: BlockPaint, start: int) -> None:
        """What lies behind the text; it is the text of a block from `start` on."""
        tokens = paint.tokens
        for rect in self._code_rects(origin):
            draw_round(painter, rect, 4, getattr(tokens, self.look.code_ground))
        seen = self._seen(paint.clip.top() - origin.y(), paint.clip.bottom() - origin.y())
        for spans, colour in ((paint.drafted, tokens.draft_soft), (paint.found, tokens.draft_soft)):
            first = bisect_right(spans, seen[0] + start, key=itemgetter(1))
            for span in spans[first : bisect_left(spans, seen[1] + start, key=itemgetter(0))]:
                self._fill(painter, origin, (span[0] - start, span[1] - start), seen, colour)
        if paint.selection:
            span = paint.selection[0] - start, paint.selection[1] - start
            self._fill(painter, origin, span, seen, tokens.target_soft)
        if paint.current:
            for rect in self.rects(paint.current[0] - start, paint.current[1] - start):
                draw_round(painter, rect.translated(origin).adjusted(-2, 1, 2, -1), 3, tokens.draft_soft, tokens.target)

    def _fill(self, painter: QPainter, origin: QPointF, span: Positions, seen: Positions, colour: str) -> None:
        for rect in self.rects(max(span[0], seen[0]), min(span[1], seen[1])):
            painter.fillRect(rect.translated(origin), QColor(colour))

    def _seen(self, top: float, bottom: float) -> Positions:
        """The plain text of the rows between two heights."""
        first = bisect_right(self.rows, top, key=_bottom_of)
        last = bisect_left(self.rows, bottom, key=_top_of)
        if first >= last:
            return 0, 0
        end = self.length if last == len(self.rows) else self._text.to_plain(self.rows[last].start)
        return self._text.to_plain(self.rows[first].start), end

    def _code_rects(self, origin: QPointF) -> Iterator[QRectF]:
        place = 0
        for span in self.spans:
            end = place + count_units(span.text)
            if span.style.is_code and not self._is_code:
                for rect in self.rects(place, end):
                    yield rect.translated(origin).adjusted(-3, 2, 3, -2)
            place = end

    def rects(self, start: int, end: int) -> list[QRectF]:
        """What a span of the plain text covers, a row or a part of one each."""
        start, end = max(0, start), min(self.length, end)
        if start >= end:
            return []
        first, last = self._text.to_shown(start), max(self._text.to_shown(end), self._text.to_shown(start) + 1)
        begin = max(0, bisect_right(self.rows, first, key=_start_of) - 1)
        rows = range(begin, bisect_left(self.rows, last, key=_start_of))
        return [rect for row in rows for rect in self._cover(row, first, last)]

    def _cover(self, index: int, first: int, last: int) -> Iterator[QRectF]:
        """What a span of shown positions covers of a row; letters are looked at one by one where they change sides."""
        row, line = self.rows[index], self._lines.lineAt(index)
        is_whole = first <= row.start and last >= row.end
        first, last = max(first, row.start), min(last, row.end)
        if first >= last:
            return
        if is_whole and self.has_right_to_left:
            shown = line.naturalTextRect()
            edges = [[shown.left(), shown.right()]]
        elif self.has_right_to_left:
            edges = sorted(sorted((_x(line, place), _x_after(line, place))) for place in range(first, last))
        else:
            edges = [[_x(line, first), _x(line, last)]]
        left, right = edges[0]
        for start, end in edges[1:]:
            if start > right + 0.5:
                yield QRectF(left, row.top, right - left, row.bottom - row.top)
                left, right = start, end
            right = max(right, end)
        yield QRectF(left, row.top, right - left, row.bottom - row.top)

    def underline(self, painter: QPainter, origin: QPointF, paint: BlockPaint, point: QPointF) -> None:
        """Underline the link that lies under a point of the paragraph."""
        found = self.span_at(point)
        if found is None or not found[0].style.href:
            return
        span, start = found
        for rect in self.rects(start, start + count_units(span.text)):
            row = next(row for row in self.rows if row.top == rect.top())
            line = QRectF(rect.left(), row.baseline + 2, rect.width(), 1).translated(origin)
            painter.fillRect(line, QColor(paint.tokens.target))

    # Places

    def position_at(self, point: QPointF) -> int:
        row = next((row for row in self.rows if point.y() < row.bottom), self.rows[-1] if self.rows else None)
        if row is None:
            return 0
        place = int(self._lines.lineForTextPosition(row.start).xToCursor(point.x()))
        if row is not self.rows[-1] and place >= row.end:
            place = row.end - 1
        return min(self._text.to_plain(place), self.length)

    def rect_of(self, position: int) -> QRectF:
        """Where the caret stands before a position."""
        shown = self._text.to_shown(min(max(0, position), self.length))
        if not self.rows:
            return QRectF(0, 0, 1, self.look.row_height)
        row = self._row_at(shown)
        return QRectF(self._x(shown, row), row.top, 1, row.bottom - row.top)

    def span_at(self, point: QPointF) -> tuple[Span, int] | None:
        """The span whose letters lie under a point, and where it starts."""
        first, last = self._seen(point.y(), point.y() + 1)
        place = 0
        for span in self.spans:
            end = place + count_units(span.text)
            if any(rect.contains(point) for rect in self.rects(max(place, first), min(end, last))):
                return span, place
            place = end
        return None

    def _row_at(self, shown: int) -> Row:
        return self.rows[min(bisect_right(self.rows, shown, key=_end_of), len(self.rows) - 1)]

    def _x(self, shown: int, row: Row) -> float:
        return _x(self._lines.lineForTextPosition(row.start), shown)


_start_of, _end_of = attrgetter("start"), attrgetter("end")
_top_of, _bottom_of = attrgetter("top"), attrgetter("bottom")


def _x(line: QTextLine, place: int) -> float:
    return float(line.cursorToX(place)[0])  # type: ignore[index]  # typed as object


def _x_after(line: QTextLine, place: int) -> float:
    return float(line.cursorToX(place, QTextLine.Edge.Trailing)[0])  # type: ignore[index]  # typed as object
