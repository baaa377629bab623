"""PopoverDelegate: paints the rows of a popover."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.popover.rows import Index, PopoverModel, PopoverRow
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.mirroring import mirrored
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

ROW, LINE_ROW, PAD = 32, 13, 6  # px at 100 %
START, END, GAP = 38.0, 12.0, 8.0
WRAP = Qt.TextFlag.TextWordWrap


class PopoverDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._width = 300

    def set_width(self, width: int) -> None:
        self._width = width

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = _row(index)
        if row.is_line:
            return QSize(self._width, LINE_ROW)
        if row.is_note:
            return QSize(self._width, round(_note_height(row.words, self._room)) + 2 * PAD)
        reason = round(_note_height(row.reason, self._room)) + PAD if row.reason else 0
        return QSize(self._width, scaled(ROW) + reason)

    @property
    def _room(self) -> float:
        return self._width - START - END

    def wanted_width(self, rows: tuple[PopoverRow, ...]) -> int:
        """So that no row is cut."""
        return max((round(START + END + _content_width(row)) + 1 for row in rows), default=0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row, place, tokens = _row(index), QRectF(option.rect), self._theme.tokens
        painter.save()
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)  # as each text begins
        if row.is_line:
            painter.fillRect(QRectF(10, round(place.center().y()), place.width() - 20, 1), QColor(tokens.line))
        elif row.is_note:
            self._write_lines(painter, place.adjusted(0, PAD, 0, -PAD), row.words, "ink2", option.direction)
        else:
            if option.state & QStyle.StateFlag.State_Selected:
                draw_round(painter, place, 7, tokens.target_soft)
            self._paint_row(painter, place, row, option.direction)
        painter.restore()

    def end_place(self, row_place: QRect, index: Index) -> QRect:
        """Where the words at the end side of a row are."""
        width = round(END + _width(_row(index).at_end, "interface") + GAP)
        line = QRectF(row_place.left(), row_place.top(), row_place.width(), scaled(ROW))
        end = QRectF(line.right() - width, line.top(), width, line.height())
        return mirrored(end, line, self._side).toRect()

    @property
    def _side(self) -> Qt.LayoutDirection:
        parent = self.parent()
        return parent.layoutDirection() if isinstance(parent, QWidget) else Qt.LayoutDirection.LeftToRight

    def _paint_row(self, painter: QPainter, place: QRectF, row: PopoverRow, side: Qt.LayoutDirection) -> None:
        tokens = self._theme.tokens
        line = QRectF(place.left(), place.top(), place.width(), scaled(ROW))
        middle = line.center().y()
        if row.is_chosen:
            draw_symbol(painter, "check", tokens.target, mirrored(QRectF(11, middle - 8, 16, 16), line, side))
        right = line.right() - END
        if row.has_more:
            right -= 14
            draw_symbol(painter, "chevron-right", tokens.ink3, mirrored(QRectF(right, middle - 7, 14, 14), line, side))
            right -= 2
        ink = "ink" if row.can_be_chosen else "ink3"
        tone = row.tone if row.can_be_chosen else "ink3"
        at_end = _width(row.at_end, "interface")
        end = QRectF(right - at_end, line.top(), at_end, line.height())
        self._write(painter, mirrored(end, line, side), row.at_end, "interface", tone)
        left, limit = START, right - at_end - GAP
        for words, use, colour in ((row.words, "interface-medium", ink), (row.quiet, "interface", "ink3")):
            width = min(_width(words, use), max(0.0, limit - left))
            here = QRectF(left, line.top(), width, line.height())
            self._write(painter, mirrored(here, line, side), words, use, colour)
            left += width + GAP
        if row.reason:
            below = QRectF(place.left(), line.bottom() - 4, place.width(), place.bottom() - line.bottom())
            self._write_lines(painter, below, row.reason, "ink3", side)

    def _write(self, painter: QPainter, place: QRectF, words: str, use: str, colour: str) -> None:
        if not words:
            return
        painter.setFont(font(use))
        painter.setPen(QColor(getattr(self._theme.tokens, colour)))
        shown = QFontMetricsF(font(use)).elidedText(words, Qt.TextElideMode.ElideRight, place.width() + 1)
        painter.drawText(place.adjusted(-1, 0, 1, 0), Qt.AlignmentFlag.AlignCenter, shown)

    def _write_lines(self, painter: QPainter, place: QRectF, words: str, colour: str, side: Qt.LayoutDirection) -> None:
        painter.setFont(font("small"))
        painter.setPen(QColor(getattr(self._theme.tokens, colour)))
        start = Qt.AlignmentFlag.AlignRight if side == Qt.LayoutDirection.RightToLeft else Qt.AlignmentFlag.AlignLeft
        inner = mirrored(place.adjusted(START, 0, -END, 0), place, side)
        painter.drawText(inner, WRAP | start | Qt.AlignmentFlag.AlignAbsolute, words)


def _row(index: Index) -> PopoverRow:
    model = index.model()
    assert isinstance(model, PopoverModel)
    return model.rows[index.row()]


def _width(words: str, use: str) -> float:
    return QFontMetricsF(font(use)).horizontalAdvance(words) + 1 if words else 0.0


def _content_width(row: PopoverRow) -> float:
    if row.is_line or row.is_note:
        return 0.0
    parts = (_width(row.words, "interface-medium"), _width(row.quiet, "interface"), _width(row.at_end, "interface"))
    shown = [part for part in parts if part]
    return sum(shown) + 2 * GAP * (len(shown) - 1) + (16 if row.has_more else 0)


def _note_height(words: str, room: float) -> float:
    return QFontMetricsF(font("small")).boundingRect(QRectF(0, 0, room, 10_000), WRAP, words).height()
