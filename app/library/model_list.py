"""ModelList: the models on this computer under hands and keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QMargins, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from app.keyed_rows import Index, KeyedRows
from app.library.found_model import FoundModel
from app.library.model_delegate import ROW_ROLE, ModelDelegate
from app.library.model_rows import ModelRow
from app.theme.buttons import KEYBOARD_REASONS
from app.theme.theme import Theme

GUTTER = 12  # px of the scroll bar
OPEN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
DELETE_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class ModelListModel(KeyedRows[ModelRow]):
    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.NoItemFlags if self.rows[index.row()].model is None else super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.name
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken
        return row if role == ROW_ROLE else None


class ModelList(QListView):
    """The current row stays with its model when others come or go."""

    chosen = Signal(object)  # FoundModel that is current, or None
    opened = Signal(object)  # by a click or Enter
    delete_asked = Signal(object)
    menu_asked = Signal(object, QPoint)  # FoundModel and where, on the screen

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = ModelListModel(self)
        self.has_keyboard_focus = False
        self._target = ""  # of the current row
        self.setModel(self.rows)
        self.setItemDelegate(ModelDelegate(theme, self))
        self.setAccessibleName("Models")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.viewport().setAutoFillBackground(False)
        self.clicked.connect(lambda index: self._tell(self.opened, index))
        theme.tokens_changed.connect(self.scheduleDelayedItemsLayout)
        theme.tokens_changed.connect(self.viewport().update)

    @property
    def model_shown(self) -> FoundModel | None:
        """Of the current row."""
        row = self.currentIndex().data(ROW_ROLE) if self.currentIndex().isValid() else None
        return row.model if row is not None else None

    def show_rows(self, rows: Sequence[ModelRow], first: str = "") -> None:
        """`first` is the target of the row that is current where none was."""
        place = self.currentIndex().row()
        self.rows.show(rows)
        shown = self.model_shown
        is_there = shown is not None and shown.target == (self._target or first)
        if not is_there and not self.choose(self._target or first):
            self._choose_from(place)
        self.chosen.emit(self.model_shown)

    def choose(self, target: str) -> bool:
        """Make a model's row current; False where it has none."""
        place = next((place for place, row in enumerate(self.rows.rows) if row.model and row.key == target), None)
        if place is None:
            return False
        self.setCurrentIndex(self.rows.index(place))
        return True

    def _choose_from(self, start: int) -> None:
        """The model at this place, where that before it is gone, or the last one before it."""
        places = [place for place, row in enumerate(self.rows.rows) if row.model]
        place = next((place for place in places if place >= start), places[-1] if places else None)
        self.setCurrentIndex(QModelIndex() if place is None else self.rows.index(place))

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if self.model_shown is not None:
            self._target = self.model_shown.target
            self.chosen.emit(self.model_shown)

    def _tell(self, signal: Any, index: Index) -> None:
        row = index.data(ROW_ROLE) if index.isValid() else None
        if row is not None and row.model is not None:
            signal.emit(row.model)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.has_keyboard_focus = True  # also where the page was opened by its keys
        self.viewport().update()
        if event.key() in OPEN_KEYS:
            self._tell(self.opened, self.currentIndex())
        elif event.key() in DELETE_KEYS:
            self._tell(self.delete_asked, self.currentIndex())
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.has_keyboard_focus = False
        super().mousePressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt asks anew how high rows are only where they wrap."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if is_key else self.indexAt(event.pos())
        row = index.data(ROW_ROLE) if index.isValid() else None
        if row is not None and row.model is not None:
            place = self.viewport().mapToGlobal(self.visualRect(index).center()) if is_key else event.globalPos()
            self.menu_asked.emit(row.model, place)

    def updateGeometries(self) -> None:
        """The rows are as wide with a scroll bar as without."""
        super().updateGeometries()
        room = 0 if self.verticalScrollBar().isVisible() else GUTTER
        margins = QMargins(room, 0, 0, 0) if self.isRightToLeft() else QMargins(0, 0, room, 0)
        if self.viewportMargins() != margins:
            self.setViewportMargins(margins)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.has_keyboard_focus = event.reason() in KEYBOARD_REASONS
        self.viewport().update()
