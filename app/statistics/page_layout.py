"""Where the parts of the statistics page stand, by its width."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.statistics.figure_table import FigureTable
from app.statistics.panel import text_label
from app.statistics.segments import Segments
from app.theme.glyphs import draw_round
from app.theme.theme import Theme

WIDE, MEDIUM = 860, 560  # px of the content
COLUMNS = 30
_PLACES = {  # row, first column, columns
    "wide": {
        "positions": (0, 0, 12),
        "series": (0, 12, 18),
        "rounds": (1, 0, 10),
        "memory": (1, 10, 10),
        "prompts": (1, 20, 10),
    },
    "medium": {
        "series": (0, 0, 30),
        "positions": (1, 0, 15),
        "rounds": (1, 15, 15),
        "memory": (2, 0, 15),
        "prompts": (2, 15, 15),
    },
    "narrow": {
        "positions": (0, 0, 30),
        "series": (1, 0, 30),
        "rounds": (2, 0, 30),
        "memory": (3, 0, 30),
        "prompts": (4, 0, 30),
    },
}


def arrangement_for(width: int) -> str:
    return "wide" if width >= WIDE else "medium" if width >= MEDIUM else "narrow"


def place_panels(grid: QGridLayout, panels: Mapping[str, QWidget], arrangement: str) -> None:
    for panel in panels.values():
        grid.removeWidget(panel)
    for name, (row, column, num_columns) in _PLACES[arrangement].items():
        grid.addWidget(panels[name], row, column, 1, num_columns)
    for column in range(COLUMNS):
        grid.setColumnStretch(column, 1)
        grid.setColumnMinimumWidth(column, 1)


class Head(QWidget):
    """Title, segments, names of what generated, Export; where it is narrow the segments have a line of their own."""

    def __init__(self, segments: Segments, export: QPushButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names: QLabel = text_label("small", "caption")
        self._segments = segments
        self._is_wide: bool | None = None
        self._line = QHBoxLayout()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(10)
        self._column.addLayout(self._line)
        self._line.setSpacing(14)
        self._line.addWidget(text_label("page-title", text="Statistics"))
        self._line.addStretch(1)
        self._line.addWidget(self.names)
        self._line.addWidget(export)
        self._place(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(self.width() >= WIDE)

    def _place(self, is_wide: bool) -> None:
        if is_wide == self._is_wide:
            return
        self._is_wide = is_wide
        self.names.setVisible(is_wide)
        self._line.removeWidget(self._segments)
        self._column.removeWidget(self._segments)
        if is_wide:
            self._line.insertWidget(1, self._segments)
        else:
            self._column.addWidget(self._segments)


class TableCard(QFrame):
    """The last replies in a card."""

    def __init__(self, theme: Theme, table: FigureTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 6, 4, 8)
        column.addWidget(table)
        theme.tokens_changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        draw_round(QPainter(self), QRectF(self.rect()), 10, tokens.raised, tokens.line)
