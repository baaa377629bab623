"""Panel: a card with a chart, its heading, and a menu that shows the numbers behind it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QAction, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from app.statistics.chart import Chart
from app.statistics.figure_table import FigureTable
from app.statistics.legend import Legend
from app.theme.buttons import SymbolButton
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.theme import Theme

SIDE = 18
MOST_ROWS = 8  # of the table; more are scrolled to
HEAD_ROOM = 2 * SIDE + 60  # px of the heading's line beside its words and the legend


class Panel(QFrame):
    def __init__(self, theme: Theme, title: str, chart: Chart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chart = chart
        self.value = text_label("small-strong")
        self.note = text_label("small", "secondary", wraps=True)
        self.table = FigureTable(theme, f"{title}, as a table")
        self.table_action = QAction("Show as table", self)
        self.column = QVBoxLayout(self)
        self._theme = theme
        self._title = title
        self._legend: Legend | None = None
        self._is_legend_in_head: bool | None = None
        self._head = QHBoxLayout()
        self.more = SymbolButton(theme, "more", f"More about {title[0].lower()}{title[1:]}", self)
        self.more.clicked.connect(self._open_menu)
        self.table_action.setCheckable(True)
        self.table_action.toggled.connect(self._turn)
        self._lay_out()
        theme.tokens_changed.connect(self._place_legend)
        theme.tokens_changed.connect(self.update)

    def _lay_out(self) -> None:
        heading = text_label("heading", text=self._title, wraps=True)
        self._head.setSpacing(10)
        self._head.addWidget(heading, 1)
        self._head.addWidget(self.value)
        self._head.addWidget(self.more)
        self.column.setContentsMargins(SIDE, 8, SIDE, SIDE - 2)
        self.column.setSpacing(8)
        self.column.addLayout(self._head)
        self.column.addWidget(self.chart, 1)
        self.column.addWidget(self.table, 1)
        self.column.addWidget(self.note)
        self.column.addStretch(0)  # room that a table, whose height is fixed, leaves beside a higher card
        self.table.hide()
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.table.setHorizontalScrollMode(FigureTable.ScrollMode.ScrollPerPixel)

    def set_legend(self, legend: Legend) -> None:
        self._legend = legend
        self._place_legend()

    def refresh(self, value: str, note: str = "") -> None:
        """Called after the chart was described anew."""
        self.value.setText(value)
        self.note.setText(note)
        self.note.setVisible(bool(note))
        if self.table_action.isChecked():
            self._fill()

    @property
    def text(self) -> str:
        """The whole card as text."""
        parts = (f"{self._title}  {self.value.text()}".rstrip(), self.chart.sentence, self.chart.table.text)
        note = self.note.text()
        return "\n".join(part for part in (*parts, note if note not in self.chart.sentence else "") if part)

    def _turn(self, is_table: bool) -> None:
        had_focus = self.chart.hasFocus() or self.table.hasFocus()
        if is_table:
            self._fill()
        self.chart.setVisible(not is_table)
        self.table.setVisible(is_table)
        if self._legend is not None:
            self._legend.setVisible(not is_table)
        if had_focus:
            (self.table if is_table else self.chart).setFocus()

    def _fill(self) -> None:
        self.table.show_table(self.chart.table, most_rows=MOST_ROWS)

    def _open_menu(self) -> None:
        self._pop_up(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _pop_up(self, point: QPoint) -> None:
        menu = QMenu(self._title, self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.table_action)
        menu.addAction("Copy as text").triggered.connect(lambda: QApplication.clipboard().setText(self.text))
        menu.popup(point)

    def contextMenuEvent(self, event: QEvent) -> None:
        self._pop_up(event.globalPos())  # type: ignore[attr-defined]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_legend()

    def _place_legend(self) -> None:
        """In the heading's line where there is room, else under it."""
        if self._legend is None:
            return
        needed = QFontMetricsF(font("heading")).horizontalAdvance(self._title) + self._legend.sizeHint().width()
        is_wide = self.width() >= needed + HEAD_ROOM
        if is_wide == self._is_legend_in_head:
            return
        self._is_legend_in_head = is_wide
        self._head.removeWidget(self._legend)
        self.column.removeWidget(self._legend)
        if is_wide:
            self._head.insertWidget(1, self._legend)
        else:
            self.column.insertWidget(1, self._legend)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        draw_round(QPainter(self), QRectF(self.rect()), 10, tokens.raised, tokens.line)


def text_label(use: str, kind: str = "", text: str = "", *, wraps: bool = False) -> QLabel:
    """A label that takes no text for markup and whose text can be selected."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setFont(font(use))
    label.setProperty("kind", kind)
    label.setWordWrap(wraps)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
