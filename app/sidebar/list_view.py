"""ConversationList: the list of chats under hands and keys."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QMimeData, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from app.chat.announcing import announce
from app.figures import write_amount
from app.sidebar.list_model import ConversationModel, Role
from app.sidebar.rows import Kind
from app.theme.buttons import KEYBOARD_REASONS
from app.theme.keys import is_typed

CHAT_FORMAT = "application/x-slipstream-chat"  # the ids of chats that are dragged, one a line
CHOOSING = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
DELETE_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
FOLD_KEYS = {Qt.Key.Key_Left: True, Qt.Key.Key_Right: False}


class RowList(QListView):
    """What the sidebar's two lists share: rows of one height on the sidebar's own ground."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setProperty("kind", "rows")  # the style sheet has one click activate a row
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters are for the composer, and look for no row."""
        if is_typed(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt activates a row with any button."""
        if event.button() == Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)


class ConversationList(RowList):
    """Shift and Ctrl choose several chats, with clicks and with keys; a plain click opens one and chooses it alone."""

    chat_chosen = Signal(str)
    fold_asked = Signal(str, bool)  # name of a folder, whether it is to be folded
    menu_asked = Signal(QModelIndex, QPoint)  # the point is on the screen
    delete_asked = Signal(object)  # ids of chats
    folder_asked = Signal(object, str)  # ids of chats that were dragged, name of the folder; "" for none

    def __init__(self, model: ConversationModel, parent: QWidget) -> None:
        super().__init__("Chats", parent)
        self._model = model
        self._kept_place = model.row(QModelIndex()).place
        self._kept_scroll = 0
        self._kept_chosen: tuple[str, ...] = ()
        self.is_choosing = False  # several are chosen, which is marked then
        self._shown = ""  # id of the chat that is shown
        self._opening = ""  # that of one that was clicked, until another is shown
        self._is_clicked_to_choose = False
        self.target: str | None = None  # folder that what is dragged would come to
        self._is_by_keys = False  # the row was come to with keys, or chosen with one held, rather than clicked
        self.setModel(model)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(False)
        self.activated.connect(self._activate)
        self.customContextMenuRequested.connect(self._ask_for_menu)
        model.states_changed.connect(self._take_states)
        model.modelAboutToBeReset.connect(self._keep_place)
        model.modelReset.connect(self._return_to_place)

    @property
    def is_editing(self) -> bool:
        return self.state() == QAbstractItemView.State.EditingState

    def _take_states(self) -> None:
        if self._model.current != self._shown:
            self._shown, self._opening = self._model.current, ""
        self.viewport().update()

    # Choosing several

    @property
    def chosen(self) -> tuple[str, ...]:
        """Ids of the chats that are chosen, from the top; one alone is rather where the keyboard is."""
        rows = sorted(index.row() for index in self.selectedIndexes())
        ids = (self._model.row(self._model.index(row)).conversation_id for row in rows)
        return tuple(conversation_id for conversation_id in ids if conversation_id)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self.viewport().update()
        num_chosen = len(self.chosen)
        self.is_choosing = num_chosen > 1
        if self.is_choosing and self.hasFocus():
            announce(self, f"{write_amount(num_chosen, 'chat')} chosen.")

    def _begin_choosing(self, clicked: QModelIndex, keys: Qt.KeyboardModifier) -> None:
        """With the chat that is shown or about to be; without one, with what is clicked."""
        shown = self._model.index_of(self._opening or self._model.current)
        if shown.isValid():
            self._begin_at(shown)
        elif keys & Qt.KeyboardModifier.ShiftModifier:
            self._begin_at(clicked)
        else:
            self.clearSelection()

    def _begin_at(self, index: QModelIndex) -> None:
        """Choose a row alone, whatever keys are held."""
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setCurrentIndex(index)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)

    def _indexes(self) -> list[QModelIndex]:
        """Of all rows."""
        return [self._model.index(number) for number in range(self._model.rowCount())]

    def _choose_alone(self) -> None:
        self.selectionModel().select(self.currentIndex(), QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def acted_on(self, index: QModelIndex) -> tuple[str, ...]:
        """All that are chosen where a row is one of them, else the row's chat."""
        conversation_id = self._model.row(index).conversation_id
        return self.chosen if self.is_choosing and conversation_id in self.chosen else (conversation_id,)

    def edit_chat(self, conversation_id: str) -> None:
        self.edit(self._model.index_of(conversation_id))

    def edit_folder(self, name: str) -> None:
        self.edit(self._model.index_of_place((Kind.FOLDER, name)))

    def _activate(self, index: QModelIndex) -> None:
        if self._is_clicked_to_choose:
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
            self._choose_alone()
        elif event.key() in DELETE_KEYS and (row.kind is Kind.CHAT or self.is_choosing):
            self._delete(self.currentIndex())
        elif row.kind is Kind.FOLDER and (is_folded := FOLD_KEYS.get(Qt.Key(event.key()))) is not None:
            self.fold_asked.emit(row.text, is_folded)
        else:
            before = self.currentIndex()
            super().keyPressEvent(event)
            self._is_by_keys = self._is_by_keys or self.currentIndex() != before

    def mousePressEvent(self, event: QMouseEvent) -> None:
        is_to_choose = event.button() == Qt.MouseButton.LeftButton and bool(event.modifiers() & CHOOSING)
        clicked = self.indexAt(event.position().toPoint())
        if is_to_choose and not self.is_choosing and not self._is_by_keys:
            self._begin_choosing(clicked, event.modifiers())
        elif event.button() == Qt.MouseButton.LeftButton and not is_to_choose:
            self._opening = self._model.row(clicked).conversation_id
        super().mousePressEvent(event)
        self._is_by_keys = is_to_choose and bool(self.chosen)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._is_clicked_to_choose = bool(event.modifiers() & CHOOSING)
        super().mouseReleaseEvent(event)
        self._is_clicked_to_choose = False

    def _delete(self, index: QModelIndex) -> None:
        """Only what is before the eyes: all that are chosen, the chat that is shown, or a row that keys went to."""
        ids = (self._model.row(index).conversation_id,)
        if self.is_choosing:
            self.delete_asked.emit(self.chosen)
        elif self.chosen == ids and (self._is_by_keys or index.data(Role.IS_CURRENT)):
            self.delete_asked.emit(ids)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Keys begin at the chat that is shown."""
        super().focusInEvent(event)
        is_come_to = event.reason() in KEYBOARD_REASONS
        self._is_by_keys = self._is_by_keys or is_come_to
        if (is_come_to and not self.is_choosing) or not self.currentIndex().isValid():
            shown = self._model.index_of(self._model.current)
            others = (index for index in self._indexes() if self._model.row(index).kind is not Kind.CAPTION)
            self._begin_at(shown if shown.isValid() else next(others, shown))

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

    def _keep_place(self) -> None:
        self._kept_place = self._model.row(self.currentIndex()).place
        self._kept_scroll = self.verticalScrollBar().value()
        self._kept_chosen = self.chosen

    def _return_to_place(self) -> None:
        self.is_choosing = False  # a model that is reset takes the choice along in silence
        index = self._model.index_of_place(self._kept_place)
        if index.isValid():
            self.setCurrentIndex(index)
        if len(self._kept_chosen) > 1:
            self._choose_again()
        self.doItemsLayout()
        self.verticalScrollBar().setValue(self._kept_scroll)

    def _choose_again(self) -> None:
        """Those that are listed still."""
        kept, chosen = set(self._kept_chosen), QItemSelection()
        for index in self._indexes():
            if self._model.row(index).conversation_id in kept:
                chosen.select(index, index)
        self.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.Select)


def chat_data(conversation_ids: Collection[str]) -> QMimeData:
    data = QMimeData()
    data.setData(CHAT_FORMAT, "\n".join(conversation_ids).encode())
    return data


def _dragged(event: QDropEvent) -> tuple[str, ...]:
    """The ids of the chats that are dragged; none for anything else."""
    return tuple(bytes(event.mimeData().data(CHAT_FORMAT).data()).decode().splitlines())
