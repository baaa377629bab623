"""The sidebar's list: conversations under captions of time, painted by one delegate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.conversations.records import Conversation
from app.conversations.titles import NEW_TITLE
from app.theme.fonts import font
from app.theme.glyphs import GLYPH_WIDTH, draw_dot, draw_focus_ring, draw_round, draw_running
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

ROW_HEIGHT, CAPTION_HEIGHT, INSET = 30, 32, 10
Index = QModelIndex | QPersistentModelIndex


class Role(IntEnum):
    ID = Qt.ItemDataRole.UserRole.value
    MARK = ID + 1  # "running", "failed", "unread" or ""
    IS_CURRENT = ID + 2


@dataclass(frozen=True, slots=True)
class Row:
    text: str
    conversation_id: str = ""  # "" for a caption


def caption_of(day: date, today: date) -> str:
    if day >= today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    if day >= today - timedelta(days=7):
        return "Last week"
    return day.strftime("%B") if day.year == today.year else day.strftime("%B %Y")


def rows_of(conversations: Iterable[Conversation], today: date) -> list[Row]:
    """Conversations, latest first, each group under its caption."""
    rows: list[Row] = []
    last = ""
    for conversation in conversations:
        caption = caption_of(datetime.fromtimestamp(conversation.updated_at).date(), today)
        if caption != last:
            rows.append(Row(caption))
            last = caption
        rows.append(Row(conversation.title or NEW_TITLE, conversation.id))
    return rows


class ConversationModel(QAbstractListModel):
    rename_asked = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []
        self._marks: dict[str, str] = {}
        self._current = ""

    def show(self, conversations: Iterable[Conversation]) -> None:
        rows = rows_of(conversations, datetime.now().date())
        if rows != self._rows:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def set_states(self, marks: dict[str, str], current: str) -> None:
        if (marks, current) == (self._marks, self._current):
            return
        self._marks, self._current = marks, current
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def index_of(self, conversation_id: str) -> QModelIndex:
        rows = (place for place, row in enumerate(self._rows) if row.conversation_id == conversation_id)
        return self.index(next(rows, -1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or not self._rows[index.row()].conversation_id:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return row.text
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(row.text)
            case Role.ID:
                return row.conversation_id
            case Role.MARK:
                return self._marks.get(row.conversation_id, "") if row.conversation_id else ""
            case Role.IS_CURRENT:
                return bool(row.conversation_id) and row.conversation_id == self._current
            case Qt.ItemDataRole.AccessibleTextRole:
                mark = self._marks.get(row.conversation_id, "")
                return f"{row.text}, {mark}" if mark else row.text
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        self.rename_asked.emit(self._rows[index.row()].conversation_id, str(value))
        return True


class ConversationDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, pulse: Pulse, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pulse = pulse

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        height = ROW_HEIGHT if index.data(Role.ID) else CAPTION_HEIGHT
        return QSize(100, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect = QRect(option.rect)
        if index.data(Role.ID):
            self._paint_row(painter, rect, option.state, index)
        else:
            painter.setFont(font("caption"))
            painter.setPen(QColor(self._theme.tokens.ink3))
            painter.drawText(rect.adjusted(INSET + 10, 8, 0, 0), Qt.AlignmentFlag.AlignVCenter, index.data())

    def _paint_row(self, painter: QPainter, rect: QRect, state: QStyle.StateFlag, index: Index) -> None:
        tokens = self._theme.tokens
        ground = QRectF(rect.adjusted(INSET, 0, -INSET, 0))
        if index.data(Role.IS_CURRENT):
            draw_round(painter, ground, 7, tokens.target_soft)
        elif state & QStyle.StateFlag.State_MouseOver:
            draw_round(painter, ground, 7, tokens.hover)
        if state & QStyle.StateFlag.State_HasFocus:
            draw_focus_ring(painter, tokens, ground, 7)
        mark = index.data(Role.MARK)
        end = ground.right() - 10
        middle = ground.center().y()
        if mark == "running":
            end -= GLYPH_WIDTH
            draw_running(painter, tokens, end, middle, self._pulse.phase)
        elif mark:
            draw_dot(painter, tokens.alert if mark == "failed" else tokens.target, QPointF(end - 4, middle))
            end -= 8
        self._paint_title(painter, ground.left() + 10, end - 8, middle, index.data())

    def _paint_title(self, painter: QPainter, left: float, right: float, middle: float, title: str) -> None:
        metrics = QFontMetricsF(font("interface"))
        painter.setFont(font("interface"))
        painter.setPen(QColor(self._theme.tokens.ink))
        shown = metrics.elidedText(title, Qt.TextElideMode.ElideRight, right - left)
        painter.drawText(QPointF(left, middle + metrics.capHeight() / 2), shown)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName("Title of this chat")
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        editor.setText(str(index.data(Qt.ItemDataRole.EditRole)))
        editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        model.setData(index, editor.text())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        rect = QRect(option.rect)
        editor.setGeometry(rect.adjusted(INSET, 1, -INSET, -1))
