"""Results of a search over all chats: title, date, and a line with the hit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QTextCharFormat
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.conversations.search import Hit
from app.conversations.titles import NEW_TITLE
from app.sidebar.delegate import INSET, draw_title
from app.sidebar.list_model import Index
from app.sidebar.row_list import RowList
from app.theme.fonts import TextSize, font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.marked_line import Spans, draw_marked_line
from app.theme.mirroring import mirrored
from app.theme.theme import Theme

ROW_HEIGHT, LINE = 50, 20  # px at a text size of 100 %
LEAD_SHARE = 0.35  # of the line that may stand before a hit which would not be seen otherwise
HIT_ROLE = Qt.ItemDataRole.UserRole


def write_day(timestamp: float, today: datetime) -> str:
    """21:04 today, then the day, and the year where it is another one."""
    when = datetime.fromtimestamp(timestamp)
    if when.date() == today.date():
        return when.strftime("%H:%M")
    day = f"{when.day} {when:%b}"
    return day if when.year == today.year else f"{day} {when.year}"


def part_with_hit(text: str, spans: Spans, metrics: QFontMetricsF, room: float) -> tuple[str, list[tuple[int, int]]]:
    """As much of one line as fits, so that the first hit is seen, and the spans in it."""
    text = text.replace("\n", " ")
    start = 0
    if spans and metrics.horizontalAdvance(text[: spans[0][1]]) > room:
        start = spans[0][0]
        while start and metrics.horizontalAdvance(text[start - 1 : spans[0][0]]) < room * LEAD_SHARE:
            start -= 1
    lead = "…" if start else ""
    shown = metrics.elidedText(lead + text[start:], Qt.TextElideMode.ElideRight, room)
    shift = len(lead) - start
    moved = ((max(0, first + shift), min(len(shown), end + shift)) for first, end in spans)
    return shown, [(first, end) for first, end in moved if first < end]


class ResultModel(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.hits: tuple[Hit, ...] = ()

    def show(self, hits: Sequence[Hit]) -> None:
        self.beginResetModel()
        self.hits = tuple(hits)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.hits)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        hit = self.hits[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return hit.title or NEW_TITLE
            case Qt.ItemDataRole.AccessibleTextRole:
                day = write_day(hit.updated_at, datetime.now())
                return ", ".join(part for part in (hit.title or NEW_TITLE, hit.excerpt, day) if part)
        return hit if role == HIT_ROLE else None


class ResultDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, round(ROW_HEIGHT * TextSize.percent / 100))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = self._theme.tokens
        hit: Hit = index.data(HIT_ROLE)
        ground = QRectF(QRect(option.rect).adjusted(INSET, 0, -INSET, 0))
        if option.state & QStyle.StateFlag.State_Selected:
            draw_round(painter, ground, 7, tokens.target_soft)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            draw_round(painter, ground, 7, tokens.hover)
        if option.state & QStyle.StateFlag.State_HasFocus:
            draw_focus_ring(painter, tokens, ground, 7)
        day = write_day(hit.updated_at, datetime.now())
        width = QFontMetricsF(font("small")).horizontalAdvance(day)
        line = LINE * TextSize.percent / 100
        first = QRectF(ground.left() + 10, ground.top() + 5, ground.width() - 20, line)
        direction = painter.layoutDirection()
        title = mirrored(first.adjusted(0, 0, -width - 10, 0), ground, direction)
        self._paint_marked(painter, title, (hit.title or NEW_TITLE, hit.title_spans), ("interface", tokens.ink))
        place = mirrored(first.adjusted(first.width() - width - 1, 0, 0, 0), ground, direction)
        draw_title(painter, place, day, tokens.ink3, "small")
        excerpt = first.translated(0, line)
        self._paint_marked(painter, excerpt, (hit.excerpt, hit.spans), ("small", tokens.ink2))

    def _paint_marked(self, painter: QPainter, room: QRectF, text: tuple[str, Spans], look: tuple[str, str]) -> None:
        """One line of a text with its spans marked; `look` is font and colour."""
        tokens, made = self._theme.tokens, font(look[0])
        metrics = QFontMetricsF(made)
        shown, places = part_with_hit(*text, metrics, room.width())
        marked = QTextCharFormat()
        marked.setBackground(QBrush(QColor(tokens.draft_soft)))
        marked.setForeground(QBrush(QColor(tokens.ink)))
        draw_marked_line(painter, room, shown, places, marked, made=made, colour=look[1])


class ResultList(RowList):
    hit_chosen = Signal(object)  # Hit

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("Chats found", parent)
        self.results = ResultModel(self)
        self.setModel(self.results)
        self.setItemDelegate(ResultDelegate(theme, self))
        self.activated.connect(self._choose)

    def show_hits(self, hits: Sequence[Hit]) -> None:
        self.results.show(hits)
        if hits:
            self.setCurrentIndex(self.results.index(0))

    def step(self, places: int) -> None:
        row = self.currentIndex().row() + places
        if 0 <= row < self.results.rowCount():
            self.setCurrentIndex(self.results.index(row))

    def choose_current(self) -> None:
        self._choose(self.currentIndex())

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.hit_chosen.emit(index.data(HIT_ROLE))
