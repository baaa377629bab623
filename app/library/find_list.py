"""FindList: the rows of Find more under hands and keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QMenu, QWidget

from app.keyed_rows import Index, KeyedRows
from app.library.find_delegate import ROW_ROLE, FindDelegate
from app.library.find_rows import Bring, FindRow, Kind
from app.theme.buttons import KEYBOARD_REASONS
from app.theme.theme import Theme

# Of a focus that a menu or another window had for a while.
RETURNS = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
GUTTER = 12  # px of the scroll bar, kept free where there is none
PRESS_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class FindModel(KeyedRows[FindRow]):
    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.rows[index.row()].kind in (Kind.CAPTION, Kind.SENTENCE):
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.name
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken
            case Qt.ItemDataRole.AccessibleDescriptionRole if row.brings:
                return "Enter downloads it"
        return row if role == ROW_ROLE else None


class FindList(QListView):
    """Enter, Space or a click on Download asks for what a row offers; a menu asks which where there are several."""

    brought = Signal(object)  # Bring
    more_asked = Signal()
    page_asked = Signal(str)  # of a repository

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model_rows = FindModel(self)
        self.delegate = FindDelegate(theme, self)
        self.menu: QMenu | None = None  # that is open
        self.pointed: QPoint | None = None  # where the mouse is
        self.has_keyboard_focus = False
        self.setModel(self.model_rows)
        self.setItemDelegate(self.delegate)
        self.setAccessibleName("Models to download")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().rangeChanged.connect(self._keep_gutter)
        self.model_rows.dataChanged.connect(self.scheduleDelayedItemsLayout)  # other words may need other heights
        theme.tokens_changed.connect(self.scheduleDelayedItemsLayout)
        theme.tokens_changed.connect(self.viewport().update)

    def press(self, index: Index) -> None:
        """Do what the row's button says."""
        row: FindRow = index.data(ROW_ROLE)
        if row.kind is Kind.MORE:
            self.more_asked.emit()
        elif row.asks:
            self._open_menu(row.brings, self.delegate.button_place(self.visualRect(index), row, self.layoutDirection()))
        elif row.brings:
            self.brought.emit(row.brings[0])

    def _keep_gutter(self, lowest: int, highest: int) -> None:
        """Rows are as wide without a scroll bar as with one."""
        free = 0 if highest > lowest else GUTTER
        self.setViewportMargins(*((free, 0, 0, 0) if self.isRightToLeft() else (0, 0, free, 0)))

    def _open_menu(self, brings: Sequence[Bring], button: QRect) -> None:
        """Under the button, ending where it ends."""
        menu = QMenu("What to download", self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for bring in brings:
            menu.addAction(bring.words.replace("&", "&&")).triggered.connect(
                lambda checked=False, bring=bring: self.brought.emit(bring)
            )
        self.menu = menu
        point = button.bottomLeft()
        if not self.isRightToLeft():
            point.setX(max(0, button.right() + 1 - menu.sizeHint().width()))
        menu.popup(self.viewport().mapToGlobal(point))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt asks anew how high rows are only where they wrap."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if is_key else self.indexAt(event.pos())
        row: FindRow | None = index.data(ROW_ROLE) if index.isValid() else None
        if row is None or not row.is_model:
            return
        menu = QMenu(row.name, self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for bring in row.brings:
            menu.addAction(f"Download {bring.words}".replace("&", "&&")).triggered.connect(
                lambda checked=False, bring=bring: self.brought.emit(bring)
            )
        menu.addSeparator()
        menu.addAction("Open page").triggered.connect(lambda: self.page_asked.emit(row.repo_id))
        self.menu = menu
        menu.popup(self.viewport().mapToGlobal(self.visualRect(index).center()) if is_key else event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in PRESS_KEYS and self.currentIndex().isValid():
            self.press(self.currentIndex())
        else:
            super().keyPressEvent(event)
            self.scrollTo(self.currentIndex())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        point = event.position().toPoint()
        index = self.indexAt(point)
        if event.button() is Qt.MouseButton.LeftButton and index.isValid() and self._is_on_button(index, point):
            self.press(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self.pointed = event.position().toPoint()
        index = self.indexAt(self.pointed)
        is_on = index.isValid() and self._is_on_button(index, self.pointed)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if is_on else Qt.CursorShape.ArrowCursor)
        self.viewport().update()

    def leaveEvent(self, event: Any) -> None:
        self.pointed = None
        self.viewport().update()
        super().leaveEvent(event)

    def _is_on_button(self, index: Index, point: QPoint) -> bool:
        row: FindRow = index.data(ROW_ROLE)
        place = self.delegate.button_place(self.visualRect(index), row, self.layoutDirection())
        return bool(row.brings or row.kind is Kind.MORE) and place.contains(point)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() not in RETURNS:
            self.has_keyboard_focus = event.reason() in KEYBOARD_REASONS
        if not self.currentIndex().isValid():
            rows = (self.model_rows.index(number) for number in range(self.model_rows.rowCount()))
            self.setCurrentIndex(next((one for one in rows if one.flags()), QModelIndex()))
