"""FigureTable: numbers in rows, painted as the window's other tables are, with headers that a screen reader knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.statistics.chart import running_as_written
from app.statistics.sizes import scaled
from app.statistics.tables import Table
from app.theme.fonts import font
from app.theme.glyphs import GLYPH_WIDTH, draw_focus_ring, draw_running
from app.theme.theme import Theme

ROW, HEAD, PAD = 30, 32, 12
SCROLL_BAR = 14
LEAST_NAME = 170  # px of the first column, or as much as it needs
GLYPH = 22  # px before a row's name, for what runs

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Look:
    """How a cell looks: the token of its ink, whether it is heavy, whether it runs."""

    tone: str = "ink"
    is_strong: bool = False
    is_running: bool = False


PLAIN = Look()


class FigureModel(QAbstractTableModel):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = Table(())
        self.looks: dict[tuple[int, int], Look] = {}

    def show(self, table: Table, looks: dict[tuple[int, int], Look] | None = None) -> None:
        """Rows that stay keep the selection and the focus."""
        is_same_shape = (len(table.rows), table.header) == (len(self.table.rows), self.table.header)
        if not is_same_shape:
            self.beginResetModel()
        self.table, self.looks = table, looks or {}
        if not is_same_shape:
            self.endResetModel()
        elif table.rows:
            last = self.index(len(table.rows) - 1, len(table.header) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.table.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.table.header)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        words = self.table.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            runs = ", running" if self.look(index).is_running else ""
            return f"{self.table.header[index.column()]}: {words or 'unknown'}{runs}"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.table.header[section]
        return None

    def look(self, index: Index) -> Look:
        return self.looks.get((index.row(), index.column()), PLAIN)


class FigureTable(QTableView):
    """As high as its rows; the first column takes the room that the others leave, and numbers stand at the end."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.figures = FigureModel(self)
        self._droppable: tuple[int, ...] = ()
        self._num_shown = 0
        self.setModel(self.figures)
        self.setItemDelegate(FigureDelegate(theme, self))
        self.setHorizontalHeader(FigureHeader(theme, self))
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.viewport().setAutoFillBackground(False)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(10)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme.tokens_changed.connect(self._fit)
        theme.tokens_changed.connect(self.viewport().update)

    def show_table(
        self, table: Table, looks: dict[tuple[int, int], Look] | None = None, *, most_rows: int | None = None
    ) -> None:
        """Of more than `most_rows` the rest is scrolled to."""
        self.figures.show(table, looks)
        self._num_shown = len(table.rows) if most_rows is None else min(most_rows, len(table.rows))
        self._fit()

    def set_droppable(self, columns: Sequence[int]) -> None:
        """Columns that a narrow table leaves out, the first of them first."""
        self._droppable = tuple(columns)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QApplication.clipboard().setText(self.selected_text())
            return
        super().keyPressEvent(event)

    def selected_text(self) -> str:
        """The chosen rows, or all, with the header."""
        chosen = sorted({index.row() for index in self.selectedIndexes()})
        rows = self.figures.table.rows
        return Table(self.figures.table.header, tuple(rows[row] for row in chosen) or rows).text

    def _fit(self) -> None:
        table = self.figures.table
        if not table.header:
            return
        widths = [self._width_of(column) for column in range(len(table.header))]
        hidden: set[int] = set()
        least_first = min(widths[0], scaled(LEAST_NAME))
        for column in self._droppable:
            shown = sum(width for place, width in enumerate(widths) if place and place not in hidden)
            if least_first + shown <= self.viewport().width():
                break
            hidden.add(column)
        for column, width in enumerate(widths):
            self.setColumnHidden(column, column in hidden)
            self.setColumnWidth(column, width)
        rest = sum(width for place, width in enumerate(widths) if place and place not in hidden)
        self.setColumnWidth(0, max(least_first, self.viewport().width() - rest))
        has_bar = least_first + rest > self.viewport().width()
        self.verticalHeader().setDefaultSectionSize(scaled(ROW))
        self.horizontalHeader().setFixedHeight(scaled(HEAD))
        self.setFixedHeight(scaled(HEAD) + scaled(ROW) * self._num_shown + (SCROLL_BAR if has_bar else 0))

    def _width_of(self, column: int) -> int:
        head, cell = QFontMetricsF(font("small")), QFontMetricsF(font("small-strong"))
        table = self.figures.table
        widest = max((cell.horizontalAdvance(row[column]) for row in table.rows), default=0.0)
        return round(max(head.horizontalAdvance(table.header[column]), widest)) + 2 * PAD


class FigureHeader(QHeaderView):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self.setMinimumSectionSize(20)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setSectionsClickable(False)
        self.setHighlightSections(False)
        self.viewport().setAutoFillBackground(False)
        theme.tokens_changed.connect(self.viewport().update)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        words = str(self.model().headerData(logicalIndex, Qt.Orientation.Horizontal))
        painter.save()
        draw_cell(
            painter,
            QRectF(rect),
            words,
            self._theme.tokens.ink2,
            "small",
            self.layoutDirection(),
            is_number=logicalIndex > 0,
        )
        painter.restore()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), scaled(HEAD))


class FigureDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: FigureTable) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model, view = index.model(), self.parent()
        assert isinstance(model, FigureModel)
        assert isinstance(view, FigureTable)
        tokens, rect, look = self._theme.tokens, QRectF(option.rect), model.look(index)
        painter.save()
        direction = option.direction
        is_mirrored = direction == Qt.LayoutDirection.RightToLeft
        is_current = view.hasFocus() and view.currentIndex().row() == index.row()
        if view.selectionModel().isRowSelected(index.row(), QModelIndex()):
            painter.fillRect(rect, QColor(tokens.target_soft))
        painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), 1), QColor(tokens.line))
        inset = 0.0
        if any(model.look(model.index(row, 0)).is_running for row in range(model.rowCount())) and not index.column():
            inset = float(GLYPH)
        if look.is_running:
            left = rect.right() - PAD - GLYPH_WIDTH if is_mirrored else rect.left() + PAD
            draw_running(painter, tokens, left, rect.center().y(), 0.0)
        words = str(index.data() or "")
        use = "small-strong" if look.is_strong else "small"
        place = rect.adjusted(0, 0, -inset, 0) if is_mirrored else rect.adjusted(inset, 0, 0, 0)
        colour, is_number = getattr(tokens, look.tone), index.column() > 0
        draw_cell(painter, place, words, colour, use, direction, is_number=is_number)
        if is_current and not index.column():
            draw_focus_ring(painter, tokens, rect.adjusted(2, 2, -2, -2), 4)
        painter.restore()


def draw_cell(
    painter: QPainter,
    rect: QRectF,
    words: str,
    colour: str,
    use: str,
    direction: Qt.LayoutDirection,
    *,
    is_number: bool,
) -> None:
    painter.setFont(font(use))
    painter.setPen(QColor(colour))
    inside = rect.adjusted(PAD, 0, -PAD, 0)
    shown = QFontMetricsF(font(use)).elidedText(words, Qt.TextElideMode.ElideRight, inside.width() + 1)
    side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
    with running_as_written(painter):
        painter.drawText(inside, QStyle.visualAlignment(direction, side | Qt.AlignmentFlag.AlignVCenter), shown)
