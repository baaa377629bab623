"""ConversationModel: the rows of the sidebar and their states, as a list view reads them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.conversations.records import Conversation
from app.figures import write_amount
from app.sidebar.rows import Kind, Row, rows_of
from app.tooltips import plain_tooltip

Index = QModelIndex | QPersistentModelIndex
_NO_ROW = Row(Kind.CAPTION, "")


class Role(IntEnum):
    ID = Qt.ItemDataRole.UserRole.value  # of a chat, else ""
    MARK = ID + 1  # "running", "failed", "unread" or ""
    IS_CURRENT = ID + 2
    ROW = ID + 3


class ConversationModel(QAbstractListModel):
    rename_asked = Signal(str, str)  # conversation id, title
    folder_rename_asked = Signal(str, str)  # name, new name
    states_changed = Signal()  # marks, or which chat is current

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.conversations: tuple[Conversation, ...] = ()
        self.folded: frozenset[str] = frozenset()
        self._rows: list[Row] = []
        self._marks: dict[str, str] = {}
        self._current = ""

    def show(self, conversations: Collection[Conversation]) -> None:
        self.conversations = tuple(conversations)
        self._rebuild()

    def set_folded(self, folders: Collection[str]) -> None:
        self.folded = frozenset(folders)
        self._rebuild()

    def _rebuild(self) -> None:
        """Rows that stay where they are keep scroll position and focus."""
        rows = rows_of(self.conversations, datetime.now().date(), self.folded)
        if rows == self._rows:
            return
        if [row.place for row in rows] == [row.place for row in self._rows]:
            self._rows = rows
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def set_states(self, marks: dict[str, str], current: str) -> None:
        if (marks, current) != (self._marks, self._current):
            self._marks, self._current = marks, current
            self.states_changed.emit()  # not dataChanged, after which the view asks every row for its size

    @property
    def current(self) -> str:
        """The id of the chat that is shown; "" where none is."""
        return self._current

    def index_of(self, conversation_id: str) -> QModelIndex:
        return self.index_of_place((Kind.CHAT, conversation_id))

    def index_of_place(self, place: tuple[Kind, str]) -> QModelIndex:
        found = (number for number, row in enumerate(self._rows) if row.place == place)
        return self.index(next(found, -1))

    def row(self, index: Index) -> Row:
        return self._rows[index.row()] if index.isValid() else _NO_ROW

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.row(index).kind is Kind.CAPTION:
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
        return flags | Qt.ItemFlag.ItemIsDragEnabled if self.row(index).kind is Kind.CHAT else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return row.text
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(row.text)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._say(row)
            case Role.ROW:
                return row
            case Role.ID:
                return row.conversation_id
            case Role.MARK:
                return self._marks.get(row.conversation_id, "")
            case Role.IS_CURRENT:
                return bool(row.conversation_id) and row.conversation_id == self._current
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self.row(index)
        if row.kind is Kind.FOLDER:
            self.folder_rename_asked.emit(row.text, str(value))
        else:
            self.rename_asked.emit(row.conversation_id, str(value))
        return True

    def _say(self, row: Row) -> str:
        """The row for a screen reader."""
        if row.kind is Kind.FOLDER:
            state = "folded" if row.is_folded else "open"
            return f"{row.text}, folder, {state}, {write_amount(row.num_chats, 'chat')}"
        conversation = row.conversation
        parts = [row.text]
        if conversation is not None:
            parts += ["pinned"] if conversation.is_pinned else []
            num_branches = conversation.num_branches
            parts += [f"{num_branches} branches"] if num_branches > 1 else []
        parts += [mark] if (mark := self._marks.get(row.conversation_id, "")) else []
        return ", ".join(parts)
