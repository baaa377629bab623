"""ImportList: the chats that were found, each with a check mark that says whether it is imported."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from app.conversations.titles import NEW_TITLE
from app.conversations.whole_chat import WholeChat
from app.figures import write_amount
from app.sidebar.results import write_day
from app.theme.fonts import font
from app.tooltips import plain_tooltip

Index = QModelIndex | QPersistentModelIndex
EDGE = 24  # px around the rows


class ImportModel(QAbstractListModel):
    choice_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chats: tuple[WholeChat, ...] = ()
        self._left_out: set[int] = set()  # rows

    @property
    def chosen(self) -> tuple[WholeChat, ...]:
        return tuple(chat for row, chat in enumerate(self._chats) if row not in self._left_out)

    def show(self, chats: Sequence[WholeChat]) -> None:
        """List other chats; all of them are chosen."""
        self.beginResetModel()
        self._chats, self._left_out = tuple(chats), set()
        self.endResetModel()

    def choose_all(self, is_chosen: bool) -> None:
        self._left_out = set() if is_chosen else set(range(len(self._chats)))
        self.dataChanged.emit(self.index(0), self.index(len(self._chats) - 1))
        self.choice_changed.emit()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._chats)

    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.CheckStateRole:
            is_left_out = index.row() in self._left_out
            return Qt.CheckState.Unchecked if is_left_out else Qt.CheckState.Checked
        title = self._chats[index.row()].conversation.title or NEW_TITLE
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{title}  ·  {_describe(self._chats[index.row()])}"
        return plain_tooltip(title) if role == Qt.ItemDataRole.ToolTipRole else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        change = self._left_out.discard if Qt.CheckState(value) == Qt.CheckState.Checked else self._left_out.add
        change(index.row())
        self.dataChanged.emit(index, index)
        self.choice_changed.emit()
        return True


class ImportList(QListView):
    """A click on a mark, or the space bar, changes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.found = ImportModel(self)
        self.setModel(self.found)
        self.setProperty("kind", "card")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(font("interface"))
        self.setUniformItemSizes(True)
        self.setSpacing(2)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Chats to import")

    def fit(self) -> None:
        """Take no more room than the chats need."""
        rows = self.found.rowCount() * (self.sizeHintForRow(0) + 2 * self.spacing())
        self.setMaximumHeight(rows + EDGE)


def _describe(chat: WholeChat) -> str:
    day = write_day(chat.conversation.updated_at, datetime.now())
    return f"{write_amount(len(chat.messages), 'message')}, {day}"
