"""ConversationList: the list of chats under hands and keys."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QMimeData, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QDrag, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from app.sidebar.choosing_list import ChoosingList
from app.sidebar.list_model import ConversationModel, Role
from app.sidebar.rows import Kind

CHAT_FORMAT = "application/x-slipstream-chat"  # the ids of chats that are dragged, one a line
DELETE_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
FOLD_KEYS = {Qt.Key.Key_Left: True, Qt.Key.Key_Right: False}


class ConversationList(ChoosingList):
    chat_chosen = Signal(str)
    fold_asked = Signal(str, bool)  # name of a folder, whether it is to be folded
    menu_asked = Signal(QModelIndex, QPoint)  # the point is on the screen
    delete_asked = Signal(object)  # ids of chats
    folder_asked = Signal(object, str)  # ids of chats that were dragged, name of the folder; "" for none

    def __init__(self, model: ConversationModel, parent: QWidget) -> None:
        super().__init__(model, parent)
        self.target: str | None = None  # folder that what is dragged would come to
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(False)
        self.activated.connect(self._activate)
        self.customContextMenuRequested.connect(self._ask_for_menu)

    @property
    def is_editing(self) -> bool:
        return self.state() == QAbstractItemView.State.EditingState

    def edit_chat(self, conversation_id: str) -> None:
        self.edit(self._model.index_of(conversation_id))

    def edit_folder(self, name: str) -> None:
        self.edit(self._model.index_of_place((Kind.FOLDER, name)))

    def _activate(self, index: QModelIndex) -> None:
        if self.is_clicked_to_choose:
            return
        row = self._model.row(index)
        if row.kind is Kind.FOLDER:
            self.fold_asked.emit(row.text, not row.is_folded)
        elif row.kind is Kind.CHAT:
            self.chat_chosen.emit(row.conversation_id)

    def _ask_for_menu(self, point: QPoint) -> None:
        index = self.indexAt(point)
        if self._model.row(index).kind is not Kind.CAPTION:
            self.menu_asked.emit(index, self.viewport().mapToGlobal(point))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self._model.row(self.currentIndex())
        if event.key() == Qt.Key.Key_F2 and row.kind is not Kind.CAPTION:
            self.edit(self.currentIndex())
        elif event.key() == Qt.Key.Key_Escape and self.is_choosing:
            self.choose_alone()
        elif event.key() in DELETE_KEYS and (row.kind is Kind.CHAT or self.is_choosing):
            self._delete(self.currentIndex())
        elif row.kind is Kind.FOLDER and (is_folded := FOLD_KEYS.get(Qt.Key(event.key()))) is not None:
            self.fold_asked.emit(row.text, is_folded)
        else:
            before = self.currentIndex()
            super().keyPressEvent(event)
            self.is_by_keys = self.is_by_keys or self.currentIndex() != before

    def _delete(self, index: QModelIndex) -> None:
        """Only what is before the eyes: all that are chosen, the chat that is shown, or a row that keys went to."""
        ids = (self._model.row(index).conversation_id,)
        if self.is_choosing:
            self.delete_asked.emit(self.chosen)
        elif self.chosen == ids and (self.is_by_keys or index.data(Role.IS_CURRENT)):
            self.delete_asked.emit(ids)

    # Dragging chats to a folder

    def startDrag(self, actions: Qt.DropAction) -> None:
        """Qt's own would take the row away where it is moved."""
        row = self._model.row(self.currentIndex())
        if row.kind is Kind.CHAT:
            drag = QDrag(self)
            drag.setMimeData(chat_data(self.acted_on(self.currentIndex())))
            drag.exec(Qt.DropAction.MoveAction)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.setAccepted(event.mimeData().hasFormat(CHAT_FORMAT))

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)  # which scrolls at the edges
        self._show_target(event)
        event.setDropAction(Qt.DropAction.MoveAction)
        event.setAccepted(self.target is not None)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._show_target(None)

    def dropEvent(self, event: QDropEvent) -> None:
        self._show_target(event)
        chats, folder = _dragged(event), self.target
        self._show_target(None)
        event.setAccepted(folder is not None)
        if folder is not None:
            self.folder_asked.emit(chats, folder)
        self.stopAutoScroll()

    def _show_target(self, event: QDropEvent | None) -> None:
        """Which folder a drop would move the chats to; None where it would change nothing."""
        target = self._folder_at(event.position().toPoint()) if event is not None else None
        dragged = _dragged(event) if event is not None else ()
        folders = {one.folder for one in self._model.conversations if one.id in dragged}
        self.target = target if folders - {target} else None
        self.viewport().update()

    def _folder_at(self, point: QPoint) -> str:
        """The folder whose name or chats are there; "" beside them."""
        row = self._model.row(self.indexAt(point))
        if row.kind is Kind.FOLDER:
            return row.text
        is_inside = row.conversation is not None and not row.conversation.is_pinned
        return row.conversation.folder if row.conversation is not None and is_inside else ""


def chat_data(conversation_ids: Collection[str]) -> QMimeData:
    data = QMimeData()
    data.setData(CHAT_FORMAT, "\n".join(conversation_ids).encode())
    return data


def _dragged(event: QDropEvent) -> tuple[str, ...]:
    """The ids of the chats that are dragged; none for anything else."""
    return tuple(bytes(event.mimeData().data(CHAT_FORMAT).data()).decode().splitlines())
