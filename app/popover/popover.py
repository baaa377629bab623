"""Popover: what a chip offers, in a list over the window; Esc and a click beside it close it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QMenu, QVBoxLayout, QWidget

from app.popover.delegate import PopoverDelegate
from app.popover.pointer_row import PointerRow
from app.popover.round_popup import RoundPopup
from app.popover.rows import Index, PopoverModel, PopoverRow
from app.statistics.sizes import scaled
from app.theme.theme import Theme

MARGIN, GAP = 7, 6
LEAST_WIDTH, MOST_WIDTH = 280, 420  # px at 100 %
MOST_SHARE = 0.7  # of the screen's height


class PopoverList(QListView):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows = PopoverModel((), self)
        self.delegate = PopoverDelegate(theme, self)
        self.setModel(self.rows)
        self.setItemDelegate(self.delegate)
        self.setProperty("kind", "rows")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        PointerRow(self)
        self.is_at_end = False  # the last click was on the words at the end side of its row

    def fit(self, width: int, most_height: int) -> None:
        """Take the height of all rows, or scroll."""
        self.delegate.set_width(width)
        self.scheduleDelayedItemsLayout()
        heights = (self.sizeHintForIndex(self.rows.index(row, 0)).height() for row in range(self.rows.rowCount()))
        self.setFixedSize(width, min(sum(heights), most_height))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        index = self.indexAt(place)
        self.is_at_end = index.isValid() and self.delegate.end_place(self.visualRect(index), index).contains(place)
        super().mouseReleaseEvent(event)
        self.is_at_end = False

    def place_of(self, index: Index) -> QRect:
        """On the screen."""
        place = self.visualRect(index)
        return QRect(self.viewport().mapToGlobal(place.topLeft()), place.size())


class Popover(RoundPopup):
    def __init__(self, theme: Theme, name: str, chip: QWidget) -> None:
        super().__init__(theme, chip.window())
        self._chip = chip
        self.list = PopoverList(theme, self)
        self.list.setAccessibleName(name)
        self.setAccessibleName(name)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.addWidget(self.list)
        self.setFocusProxy(self.list)
        self.list.clicked.connect(self._choose)
        self.list.installEventFilter(self)

    def pop_up(self) -> None:
        """Open over its chip, or under it where there is no room; the row that is chosen is the current one."""
        chosen = next((place for place, row in enumerate(self.list.rows.rows) if row.is_chosen), 0)
        self.list.setCurrentIndex(self.list.rows.index(chosen, 0))
        self.show()
        self.list.setFocus(Qt.FocusReason.PopupFocusReason)

    def open_beside(self, menu: QMenu) -> None:
        """Show a menu beside the current row; what is chosen there closes both."""
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.triggered.connect(self.close)
        place = self.list.place_of(self.list.currentIndex())
        is_mirrored = self.isRightToLeft()
        menu.popup(place.topLeft() - QPoint(menu.sizeHint().width(), 0) if is_mirrored else place.topRight())

    def set_rows(self, rows: Sequence[PopoverRow]) -> None:
        """Offer this; the current row keeps its place."""
        if tuple(rows) == self.list.rows.rows:
            return
        current = max(0, self.list.currentIndex().row())
        self.list.rows.set_rows(rows)
        self._fit()
        self.list.setCurrentIndex(self.list.rows.index(min(current, len(rows) - 1), 0))

    def _fit(self) -> None:
        screen = self._chip.screen().availableGeometry()
        wanted = self.list.delegate.wanted_width(self.list.rows.rows)
        width = min(max(wanted, scaled(LEAST_WIDTH)), scaled(MOST_WIDTH), screen.width() - 2 * GAP)
        self.list.fit(width, round(screen.height() * MOST_SHARE))
        self.adjustSize()
        chip = QRect(self._chip.mapToGlobal(QPoint(0, 0)), self._chip.size())
        self.move(place_over(chip, self.size(), screen, is_mirrored=self.isRightToLeft()))

    def _choose(self, index: Index) -> None:
        if not index.isValid():
            return
        row = self.list.rows.rows[index.row()]
        if row.act is not None and self.list.is_at_end:
            row.act()
            return
        if not row.can_be_chosen or row.choose is None:
            return
        if not (row.has_more or row.stays):
            self.close()
        row.choose()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter and the space bar choose; the arrow to the end side opens what has more, or does what stands there."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        index = self.list.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose(index)
            return True
        onward = Qt.Key.Key_Left if self.isRightToLeft() else Qt.Key.Key_Right
        row = self.list.rows.rows[index.row()] if index.isValid() else None
        if event.key() == onward and row is not None and row.act is not None:
            row.act()
            return True
        if event.key() == onward and row is not None and row.has_more:
            self._choose(index)
            return True
        return False


def place_over(chip: QRect, size: QSize, screen: QRect, *, is_mirrored: bool = False) -> QPoint:
    """Where a popover stands: over its chip, under it where there is more room, always on the screen."""
    width, height = size.width(), size.height()
    start = chip.right() + 1 - width if is_mirrored else chip.left()
    left = max(screen.left() + GAP, min(start, screen.right() - width - GAP))
    above, below = chip.top() - height - GAP, chip.bottom() + GAP
    top = above if above >= screen.top() or chip.top() - screen.top() > screen.bottom() - chip.bottom() else below
    return QPoint(left, max(screen.top() + GAP, top))
