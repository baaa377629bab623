"""RowPainter: how the rows of the drafters' table look."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.figures import write_speedup
from app.settings.drafters.axis import draw_axis
from app.settings.drafters.candidate import PLAIN
from app.settings.drafters.columns import GAP, Columns, Span, columns_of
from app.settings.drafters.row_model import Index, Role
from app.settings.drafters.row_parts import BUTTON, Canvas, button_span, button_words
from app.settings.drafters.rows import Act, Kind, Row
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.theme import Theme

HEIGHTS = {Kind.HEAD: 32, Kind.TITLE: 38, Kind.DRAFTER: 42, Kind.MISFIT: 42}
BAR, BETWEEN = 42, 8  # px
NOTE = 60  # px: with less room a note that is cut says nothing
LEAST_REASON = 220  # px at 100 %, beside the name of a misfit; with less it stands under it
FASTER, SLOWER = 1.05, 0.95


class RowPainter(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.axis_end = 1.5
        self.hovered = ""  # key of the row under the mouse
        self.is_button_hovered = False
        self.is_by_keys = False  # the focus came with keys
        self.is_at_button = False  # the focus is on the button of its row

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, scaled(HEIGHTS[index.data(Role.ROW).kind]))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(Role.ROW)
        whole = QRectF(option.rect)
        canvas = Canvas(painter, self._theme.tokens, whole, columns_of(whole.width()))
        has_focus = self.is_by_keys and bool(option.state & QStyle.StateFlag.State_HasFocus)
        painter.save()
        match row.kind:
            case Kind.HEAD:
                self._paint_head(canvas)
            case Kind.TITLE:
                span = Span(canvas.columns.radio.start, whole.width())
                canvas.words(span, row.words, "interface-strong", "ink2", drop=2)
            case Kind.MISFIT:
                self._paint_misfit(canvas, row)
            case Kind.DRAFTER:
                self._paint_drafter(canvas, row, has_focus)
        if has_focus and not self.is_at_button:
            draw_focus_ring(painter, canvas.tokens, whole.adjusted(4, 3, -4, -3), 7)
        if index.row() and index.sibling(index.row() - 1, 0).data(Role.ROW).kind is not Kind.TITLE:
            painter.fillRect(QRectF(whole.left() + 1, whole.top(), whole.width() - 2, 1), QColor(canvas.tokens.line))
        painter.restore()

    def _paint_head(self, canvas: Canvas) -> None:
        columns = canvas.columns
        canvas.words(columns.name, "Drafter", "small", "ink2")
        canvas.words(columns.memory, "Memory", "small", "ink2", at_end=True)
        canvas.words(columns.axis, "Speed against plain", "small", "ink2")
        canvas.words(columns.alone, "1", "small", "ink2", at_end=True)
        canvas.words(columns.together, "4", "small", "ink2", at_end=True)
        canvas.words(columns.measured, "Measured", "small", "ink2", at_end=True)

    def _paint_misfit(self, canvas: Canvas, row: Row) -> None:
        columns = canvas.columns
        canvas.radio(is_chosen=False, is_faint=True)
        if columns.reason.width < scaled(LEAST_REASON):
            below = Span(columns.name.start, columns.reason.end)
            canvas.words(below, f"{row.words}  {row.note}".rstrip(), "interface", "ink3", drop=-scaled(8))
            canvas.words(below, row.reason, "small", "ink3", drop=scaled(9))
            return
        reason_start = columns.reason.start
        end = canvas.words(Span(columns.name.start, reason_start - BETWEEN), row.words, "interface", "ink3")
        if row.note:
            canvas.words(Span(end + BETWEEN, reason_start - BETWEEN), row.note, "interface", "ink3")
        canvas.wrapped(columns.reason, row.reason, "small", "ink3")

    def _paint_drafter(self, canvas: Canvas, row: Row, has_focus: bool) -> None:
        if row.key == self.hovered:
            draw_round(canvas.painter, canvas.whole.adjusted(4, 3, -4, -3), 7, canvas.tokens.sunken)
        canvas.radio(is_chosen=row.is_chosen)
        self._paint_name(canvas, row)
        canvas.words(canvas.columns.memory, row.memory, "interface", "ink2", at_end=True)
        self._paint_speed(canvas, row)
        self._paint_end(canvas, row, is_at_hand=row.key == self.hovered or has_focus, is_focused=has_focus)

    def _paint_name(self, canvas: Canvas, row: Row) -> None:
        """The note gives way to the name and to what is in use."""
        name = name_span(canvas.columns, row.memory)
        words = QFontMetricsF(font("interface-medium")).horizontalAdvance("In use") + BETWEEN if row.is_in_use else 0
        end = canvas.words(Span(name.start, name.end - words), row.words, "interface-medium", "ink") + BETWEEN
        least = min(NOTE, QFontMetricsF(font("interface")).horizontalAdvance(row.note))
        if row.note and name.end - words - end >= least:
            end = canvas.words(Span(end, name.end - words), row.note, "interface", "ink3") + BETWEEN
        if row.is_in_use:
            canvas.words(Span(end, name.end + BETWEEN), "In use", "interface-medium", "target")

    def _paint_speed(self, canvas: Canvas, row: Row) -> None:
        """Axis and numbers, or words in their place."""
        columns = canvas.columns
        if row.state:
            has_room = columns.axis.width > 0
            start = columns.axis.start if has_room else columns.alone.start
            button = button_span(row, columns)
            span = Span(start, button.start - BETWEEN if button.width else columns.together.end)
            canvas.words(span, row.state if has_room else row.brief, "interface", "ink2")
            return
        if row.is_old:
            canvas.words(columns.axis, row.measured.capitalize(), "interface", "ink3")
        elif columns.axis.width:
            is_plain = row.candidate is not None and row.candidate.drafter == PLAIN
            inside = canvas.place(columns.axis)
            draw_axis(canvas.painter, canvas.tokens, inside, self.axis_end, row.alone, row.together, is_plain=is_plain)
        self._paint_number(canvas, columns.alone, row.alone, "interface-strong", row)
        self._paint_number(canvas, columns.together, row.together, "interface", row)

    def _paint_number(self, canvas: Canvas, span: Span, value: float | None, use: str, row: Row) -> None:
        """A loss is seen in both; a gain with one reply is what counts."""
        if value is not None:
            tone = tone_of(value)
            colour = "ink3" if row.is_old else "ink2" if tone == "target" and use == "interface" else tone
            canvas.words(span, write_speedup(value), use, colour, at_end=True)

    def _paint_end(self, canvas: Canvas, row: Row, *, is_at_hand: bool, is_focused: bool) -> None:
        """The day, or the button where it is wanted."""
        span = button_span(row, canvas.columns)
        is_wanted = row.act is not Act.NONE and (is_at_hand or row.act is Act.STOP or row.is_old or not row.alone)
        if not is_wanted or not span.width:
            if not row.is_old:
                canvas.words(canvas.columns.measured, row.measured, "interface", "ink3", at_end=True)
            return
        is_warm = row.key == self.hovered and self.is_button_hovered
        rect = canvas.place(span, scaled(BUTTON))
        if row.act is Act.STOP:
            canvas.stop(rect, is_warm=is_warm, is_focused=is_focused and self.is_at_button)
            self._paint_progress(canvas, row, span.start)
        else:
            words = button_words(row)
            canvas.button(rect, words, is_warm=is_warm, is_focused=is_focused and self.is_at_button)

    def _paint_progress(self, canvas: Canvas, row: Row, end: float) -> None:
        if row.num_all:
            bar = Span(end - 4 - scaled(BAR), end - 4)
            canvas.bar(bar, row.num_done / row.num_all)
            words = Span(canvas.columns.measured.start - 20, bar.start - BETWEEN)
            canvas.words(words, f"{row.num_done} of {row.num_all}", "interface", "ink2", at_end=True)


def name_span(columns: Columns, memory: str) -> Span:
    """Of what stands at the start of a row, as far as its words on memory."""
    name, end = columns.name, columns.memory.end - QFontMetricsF(font("interface")).horizontalAdvance(memory)
    return Span(name.start, max(name.end, end - scaled(GAP))) if columns.memory.width else name


def tone_of(speedup: float) -> str:
    """A gain, about the same, a loss."""
    return "target" if speedup >= FASTER else "ink2" if speedup >= SLOWER else "alert"
