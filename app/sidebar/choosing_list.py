"""ChoosingList: chats of which one or several are chosen, and where the keyboard is among them."""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QFocusEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from app.chat.announcing import announce
from app.figures import write_amount
from app.sidebar.list_model import ConversationModel
from app.sidebar.row_list import RowList
from app.sidebar.rows import Kind
from app.theme.buttons import KEYBOARD_REASONS

CHOOSING = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier


class ChoosingList(RowList):
    """Shift and Ctrl choose several chats, with clicks and with keys; a plain click opens one and chooses it alone.

    Rows and the choice among them stay when the model is reset.
    """

    def __init__(self, model: ConversationModel, parent: QWidget) -> None:
        super().__init__("Chats", parent)
        self._model = model
        self.is_choosing = False  # several are chosen, which is marked then
        self.is_by_keys = False  # the row was come to with keys, or chosen with one held, rather than clicked
        self.is_clicked_to_choose = False
        self._shown = ""  # id of the chat that is shown
        self._opening = ""  # that of one that was clicked, until another is shown
        self._kept_place = model.row(QModelIndex()).place
        self._kept_scroll = 0
        self._kept_chosen: tuple[str, ...] = ()
        self.setModel(model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        model.states_changed.connect(self._take_states)
        model.modelAboutToBeReset.connect(self._keep_place)
        model.modelReset.connect(self._return_to_place)

    def _take_states(self) -> None:
        if self._model.current != self._shown:
            self._shown, self._opening = self._model.current, ""
        self.viewport().update()

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

    def choose_alone(self) -> None:
        self.selectionModel().select(self.currentIndex(), QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def acted_on(self, index: QModelIndex) -> tuple[str, ...]:
        """All that are chosen where a row is one of them, else the row's chat."""
        conversation_id = self._model.row(index).conversation_id
        return self.chosen if self.is_choosing and conversation_id in self.chosen else (conversation_id,)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        is_to_choose = event.button() == Qt.MouseButton.LeftButton and bool(event.modifiers() & CHOOSING)
        clicked = self.indexAt(event.position().toPoint())
        if is_to_choose and not self.is_choosing and not self.is_by_keys:
            self._begin_choosing(clicked, event.modifiers())
        elif event.button() == Qt.MouseButton.LeftButton and not is_to_choose:
            self._opening = self._model.row(clicked).conversation_id
        super().mousePressEvent(event)
        self.is_by_keys = is_to_choose and bool(self.chosen)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.is_clicked_to_choose = bool(event.modifiers() & CHOOSING)
        super().mouseReleaseEvent(event)
        self.is_clicked_to_choose = False

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Keys begin at the chat that is shown."""
        super().focusInEvent(event)
        is_come_to = event.reason() in KEYBOARD_REASONS
        self.is_by_keys = self.is_by_keys or is_come_to
        if (is_come_to and not self.is_choosing) or not self.currentIndex().isValid():
            shown = self._model.index_of(self._model.current)
            others = (index for index in self._indexes() if self._model.row(index).kind is not Kind.CAPTION)
            self._begin_at(shown if shown.isValid() else next(others, shown))

    def _keep_place(self) -> None:
        self._kept_place = self._model.row(self.currentIndex()).place
        self._kept_scroll = self.verticalScrollBar().value()
        self._kept_chosen = self.chosen

    def _return_to_place(self) -> None:
        self.is_choosing = False  # a model that is reset takes the choice along in silence
        index = self._model.index_of_place(self._kept_place)
        if index.isValid():
            self._begin_at(index)
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
