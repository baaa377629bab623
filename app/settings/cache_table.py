"""CacheTable: what the prompt cache holds of each chat, with a cross that removes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.figures import write_bytes, write_count
from app.statistics.chart import running_as_written
from app.statistics.sizes import scaled
from app.theme.buttons import KEYBOARD_REASONS
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

ROW, HEAD, PAD, CROSS = 38, 34, 10, 40
CHAT, TOKENS, SIZE, DRAFTER, USED, REMOVE = range(6)
HEADER = ("Chat", "Tokens", "Size", "Drafter state", "Last used", "")
WIDTHS = {TOKENS: 80, SIZE: 84, DRAFTER: 132, USED: 104, REMOVE: CROSS}  # px at 100 %
DROPPED = (DRAFTER, TOKENS, USED)  # where it is narrow, in this order
LEAST_CHAT = 150
GONE = "A deleted chat"
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class CachedChat:
    conversation_id: str
    title: str  # "" for a chat that is not listed
    num_tokens: int
    num_bytes: int
    drafters: tuple[str, ...] = ()
    used_at: float = 0.0  # Unix seconds; 0.0 where it is not known


def write_day(timestamp: float, now: float) -> str:
    """now, today, yesterday, 3 days ago, 5 November: as near as it matters."""
    then, today = datetime.fromtimestamp(timestamp), datetime.fromtimestamp(now)
    days = (today.date() - then.date()).days
    if days <= 0:
        return "now" if now - timestamp < 300 else "today"
    if days < 7:
        return "yesterday" if days == 1 else f"{days} days ago"
    return f"{then.day} {then:%B}" + ("" if then.year == today.year else f" {then.year}")


class CacheModel(QAbstractTableModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.chats: tuple[CachedChat, ...] = ()
        self._now = 0.0

    def show(self, chats: Sequence[CachedChat], now: float) -> None:
        """Chats that stay keep the place in the table that has the keyboard."""
        is_same = [one.conversation_id for one in chats] == [one.conversation_id for one in self.chats]
        if not is_same:
            self.beginResetModel()
        self.chats, self._now = tuple(chats), now
        if not is_same:
            self.endResetModel()
        elif chats:
            self.dataChanged.emit(self.index(0, 0), self.index(len(chats) - 1, REMOVE))

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.chats)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(HEADER)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        chat = self.chats[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(chat, index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            if index.column() == REMOVE:
                return f"Remove what is kept of {chat.title or GONE}"
            return f"{HEADER[index.column()]}: {self._words(chat, index.column())}"
        if role == Qt.ItemDataRole.ToolTipRole and index.column() in (CHAT, DRAFTER):
            return plain_tooltip(self._words(chat, index.column()))
        return None

    def _words(self, chat: CachedChat, column: int) -> str:
        match column:
            case 0:
                return chat.title or GONE
            case 1:
                return write_count(chat.num_tokens)
            case 2:
                return write_bytes(chat.num_bytes)
            case 3:
                return ", ".join(chat.drafters) or "none"
            case 4:
                return write_day(chat.used_at, self._now) if chat.used_at else ""
            case _:
                return ""

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        is_words = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return HEADER[section] if is_words else None


class CacheTable(QTableView):
    """As high as its rows; Delete removes what the row that has the keyboard names."""

    remove_asked = Signal(str)  # conversation id

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.can_remove = True
        self.has_keyboard_focus = False
        self.rows = CacheModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(CacheDelegate(self))
        self.setHorizontalHeader(CacheHeader(theme, self))
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(10)
        self.setAccessibleName("Prompt cache by chat")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.viewport().setAutoFillBackground(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme.tokens_changed.connect(self._fit)
        self._fit()

    def show_chats(self, chats: Sequence[CachedChat], now: float, *, can_remove: bool) -> None:
        self.can_remove = can_remove
        has_other_height = len(chats) != self.rows.rowCount()
        self.rows.show(chats, now)
        if has_other_height:
            self._fit()

    def _fit(self) -> None:
        self.verticalHeader().setDefaultSectionSize(scaled(ROW))
        self.setFixedHeight(scaled(HEAD) + scaled(ROW) * self.rows.rowCount())
        self._fit_columns()
        self.viewport().update()

    def _fit_columns(self) -> None:
        shown = dict(WIDTHS)
        for column in DROPPED:
            if sum(map(scaled, shown.values())) + scaled(LEAST_CHAT) > self.width():
                shown.pop(column)
        for column in range(1, len(HEADER)):
            self.setColumnHidden(column, column not in shown)
            if column in shown:
                self.setColumnWidth(column, scaled(shown[column]))
        self.setColumnWidth(CHAT, max(60, self.width() - sum(map(scaled, shown.values()))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The keyboard goes by rows, so the ring is around all of one."""
        super().paintEvent(event)
        if self.has_keyboard_focus and self.currentIndex().isValid():
            row = QRectF(0, self.rowViewportPosition(self.currentIndex().row()), self.viewport().width(), scaled(ROW))
            draw_focus_ring(QPainter(self.viewport()), self.theme.tokens, row.adjusted(3, 3, -3, -2), 7)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.has_keyboard_focus = event.reason() in KEYBOARD_REASONS
        super().focusInEvent(event)
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.rows.index(0, CHAT))
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.has_keyboard_focus = False
        super().focusOutEvent(event)
        self.viewport().update()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and index.column() == REMOVE and event.button() == Qt.MouseButton.LeftButton:
            self._remove(index.row())
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.currentIndex().row()
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and row >= 0:
            self._remove(row)
        else:
            super().keyPressEvent(event)

    def _remove(self, row: int) -> None:
        if self.can_remove:
            self.remove_asked.emit(self.rows.chats[row].conversation_id)


class CacheHeader(QHeaderView):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(20)
        self.setSectionsClickable(False)
        self.setHighlightSections(False)
        self.viewport().setAutoFillBackground(False)
        theme.tokens_changed.connect(self.viewport().update)

    def sizeHint(self) -> QSize:
        return QSize(100, scaled(HEAD))

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        draw_cell(painter, QRectF(rect), HEADER[section], "small", self._theme.tokens.ink3, is_at_end=section != CHAT)


class CacheDelegate(QStyledItemDelegate):
    def __init__(self, table: CacheTable) -> None:
        super().__init__(table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = self._table.theme.tokens
        place, column = QRectF(option.rect), index.column()
        painter.fillRect(QRectF(place.left(), place.top(), place.width(), 1), QColor(tokens.line))
        if column == REMOVE:
            self._paint_cross(painter, place, option)
        else:
            use, colour = ("interface-medium", tokens.ink) if column == CHAT else ("interface", tokens.ink)
            quiet = tokens.ink2 if column in (DRAFTER, USED) else colour
            draw_cell(painter, place, str(index.data()), use, quiet, is_at_end=column != CHAT)

    def _paint_cross(self, painter: QPainter, place: QRectF, option: QStyleOptionViewItem) -> None:
        tokens = self._table.theme.tokens
        if not self._table.can_remove:
            return
        middle = place.center()
        if option.state & QStyle.StateFlag.State_MouseOver:
            draw_round(painter, QRectF(middle.x() - 14, middle.y() - 14, 28, 28), 7, tokens.hover)
        draw_symbol(painter, "close", tokens.ink2, QRectF(round(middle.x() - 7), round(middle.y() - 7), 14, 14))


def draw_cell(painter: QPainter, place: QRectF, words: str, use: str, colour: str, *, is_at_end: bool) -> None:
    is_mirrored = painter.layoutDirection() == Qt.LayoutDirection.RightToLeft
    side = Qt.AlignmentFlag.AlignRight if is_at_end != is_mirrored else Qt.AlignmentFlag.AlignLeft
    room = place.adjusted(PAD if is_at_end else 16, 0, -PAD if is_at_end else -4, 0)
    if is_mirrored:
        room = place.adjusted(PAD if is_at_end else 4, 0, -PAD if is_at_end else -16, 0)
    painter.setFont(font(use))
    painter.setPen(QColor(colour))
    shown = QFontMetricsF(font(use)).elidedText(words, Qt.TextElideMode.ElideRight, room.width())
    with running_as_written(painter):
        painter.drawText(room, side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter, shown)
