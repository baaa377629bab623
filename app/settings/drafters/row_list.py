"""DrafterList: the drafters' table under hands and keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from app.settings.drafters.columns import columns_of
from app.settings.drafters.painting import HEIGHTS, RowPainter
from app.settings.drafters.row_model import RowModel
from app.settings.drafters.row_parts import button_span, button_words
from app.settings.drafters.rows import Act, Kind, Row, axis_end
from app.sidebar.row_list import RowList
from app.statistics.sizes import scaled
from app.theme.buttons import KEYBOARD_REASONS
from app.theme.glyphs import draw_round
from app.theme.mirroring import mirrored
from app.theme.theme import Theme

PRESSING = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class DrafterList(RowList):
    """As high as its rows: the page scrolls."""

    chosen = Signal(str)  # drafter
    pressed_act = Signal(object, str)  # Act, drafter

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Drafters", parent)  # type: ignore[arg-type]
        self._theme = theme
        self._rows = RowModel()
        self._painter = RowPainter(theme, self)
        self.setUniformItemSizes(False)
        self.setModel(self._rows)
        self.setItemDelegate(self._painter)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAutoScroll(False)
        theme.tokens_changed.connect(self._refit)

    @property
    def rows(self) -> tuple[Row, ...]:
        return self._rows.rows

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        if rows != self._rows.rows:
            key = self.current.key if self.current else ""
            self._painter.axis_end = axis_end(rows)
            self._rows.show(rows)
            self._return_to(key)
            self._refit()

    @property
    def current(self) -> Row | None:
        return self._row(self.currentIndex())

    def _row(self, index: QModelIndex) -> Row | None:
        return self._rows.rows[index.row()] if index.isValid() else None

    def _return_to(self, key: str) -> None:
        for place, row in enumerate(self._rows.rows):
            if row.key == key and self.currentIndex().row() != place:
                self.setCurrentIndex(self._rows.index(place))

    def _refit(self) -> None:
        self.setFixedHeight(sum(scaled(HEIGHTS[row.kind]) for row in self._rows.rows) + 2)
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def button_rect(self, index: QModelIndex) -> QRectF:
        """Where the button of a row is, in the viewport; empty where it has none."""
        row = self._row(index)
        if row is None or row.kind is not Kind.DRAFTER:
            return QRectF()
        whole = QRectF(self.visualRect(index))
        span = button_span(row, columns_of(whole.width()))
        place = QRectF(whole.left() + span.start, whole.top() + 4, span.width, whole.height() - 8)
        return mirrored(place, whole, self.layoutDirection())

    # What is chosen and pressed

    def _choose(self, row: Row) -> None:
        if row.kind is Kind.DRAFTER:
            self.chosen.emit(row.key)

    def _press(self, row: Row) -> None:
        if row.act is not Act.NONE:
            self.pressed_act.emit(row.act, row.key)

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, key = self.current, Qt.Key(event.key())
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        to_button, back = (Qt.Key.Key_Left, Qt.Key.Key_Right)[:: 1 if is_mirrored else -1]
        self._painter.is_by_keys = True
        if row is not None and key in PRESSING:
            self._press(row) if self._painter.is_at_button else self._choose(row)
        elif key in (to_button, back):
            self._painter.is_at_button = key == to_button and not self.button_rect(self.currentIndex()).isEmpty()
        else:
            self._painter.is_at_button = False
            super().keyPressEvent(event)
        self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._painter.is_by_keys = event.reason() in KEYBOARD_REASONS
        self._painter.is_at_button = False
        if not self.currentIndex().isValid():
            self._return_to(next((row.key for row in self.rows if row.is_chosen), self._first_key))

    @property
    def _first_key(self) -> str:
        return next((row.key for row in self.rows if row.is_reachable), "")

    # Mouse

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(event.position())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._painter.hovered, self._painter.is_button_hovered = "", False
            self.viewport().update()
        return super().viewportEvent(event)

    def _hover(self, position: QPointF) -> None:
        index = self.indexAt(position.toPoint())
        row = self._row(index)
        self._painter.hovered = row.key if row else ""
        self._painter.is_button_hovered = self.button_rect(index).contains(position)
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._painter.is_by_keys = self._painter.is_at_button = False
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        row = self._row(index)
        if row is None or event.button() != Qt.MouseButton.LeftButton or index != self.currentIndex():
            return
        if self.button_rect(index).contains(event.position()):
            self._press(row)
        else:
            self._choose(row)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What a row's parts do, for keys and for a table that has no room for buttons."""
        row = self.current
        if row is None or row.kind is not Kind.DRAFTER:
            return
        menu = QMenu(row.words, self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(f"Use {row.words}").triggered.connect(lambda: self._choose(row))
        if row.act is not Act.NONE:
            menu.addAction(button_words(row)).triggered.connect(lambda: self._press(row))
        by_keys = event.reason() == QContextMenuEvent.Reason.Keyboard
        place = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).bottomLeft() + QPoint(44, -8))
        menu.popup(place if by_keys else event.globalPos())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens = QPainter(self.viewport()), self._theme.tokens
        draw_round(painter, QRectF(self.viewport().rect()), 10, tokens.raised, tokens.line)
        painter.end()
        super().paintEvent(event)
