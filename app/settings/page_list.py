"""PageList: the pages of the settings at the start side of their window; symbols alone where it is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QFrame, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.statistics.sizes import scaled
from app.theme.buttons import KEYBOARD_REASONS
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.mirroring import mirrored
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

WIDTH, NARROW_WIDTH, ROW, INSET = 208, 56, 31, 10
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class PageName:
    words: str
    symbol: str


class PageList(QListView):
    chosen = Signal(str)  # the name of a page

    def __init__(self, theme: Theme, names: Sequence[PageName], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.has_keyboard_focus = False
        self.is_narrow = False
        model = QStandardItemModel(self)
        for name in names:
            item = QStandardItem(name.words)
            item.setData(name.symbol, Qt.ItemDataRole.UserRole)
            item.setEditable(False)
            model.appendRow(item)
        self.setModel(model)
        self.setItemDelegate(PageDelegate(self))
        self.setAccessibleName("Pages of the settings")
        self.setProperty("kind", "rows")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(lambda now, before: self.chosen.emit(now.data()))
        theme.tokens_changed.connect(self._refit)
        self.viewport().setAutoFillBackground(False)
        self.setViewportMargins(INSET, 16, INSET, 16)
        self._refit()

    def choose(self, name: str) -> None:
        """One that is not offered changes nothing."""
        found = next((row for row in range(self.model().rowCount()) if self.model().index(row, 0).data() == name), None)
        if found is not None:
            self.setCurrentIndex(self.model().index(found, 0))

    def set_narrow(self, is_narrow: bool) -> None:
        if is_narrow != self.is_narrow:
            self.is_narrow = is_narrow
            for row in range(self.model().rowCount()):
                index = self.model().index(row, 0)
                self.model().setData(index, index.data() if is_narrow else None, Qt.ItemDataRole.ToolTipRole)
            self._refit()

    def _refit(self) -> None:
        self.setFixedWidth(NARROW_WIDTH if self.is_narrow else scaled(WIDTH))
        self.scheduleDelayedItemsLayout()
        self.viewport().update()
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.has_keyboard_focus = event.reason() in KEYBOARD_REASONS
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.has_keyboard_focus = False
        super().focusOutEvent(event)
        self.viewport().update()


class PageDelegate(QStyledItemDelegate):
    def __init__(self, view: PageList) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(40, scaled(ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view, tokens = self._view, self._view.theme.tokens
        rect = QRectF(option.rect)
        is_current = index.row() == view.currentIndex().row()
        if is_current:
            draw_round(painter, rect, 7, tokens.target_soft)
        elif view.indexAt(view.viewport().mapFromGlobal(view.cursor().pos())) == index:
            draw_round(painter, rect, 7, tokens.hover)
        way = view.layoutDirection()
        symbol = QRectF(rect.left() + 10, rect.center().y() - 8, 16, 16)
        draw_symbol(painter, index.data(Qt.ItemDataRole.UserRole), tokens.ink2, mirrored(symbol, rect, way))
        if not view.is_narrow:
            room = mirrored(rect.adjusted(36, 0, -8, 0), rect, way)
            side = Qt.AlignmentFlag.AlignRight if way == Qt.LayoutDirection.RightToLeft else Qt.AlignmentFlag.AlignLeft
            painter.setFont(font("interface-medium"))
            painter.setPen(QColor(tokens.ink if is_current else tokens.ink2))
            words = painter.fontMetrics().elidedText(index.data(), Qt.TextElideMode.ElideRight, round(room.width()))
            painter.drawText(room, side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter, words)
        if is_current and view.has_keyboard_focus:
            draw_focus_ring(painter, tokens, rect, 7)
