"""Where the parts of the statistics page stand, by its width."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.statistics.figure_table import FigureTable
from app.statistics.panel import text_label
from app.statistics.segments import Segments
from app.statistics.sizes import scaled
from app.theme.glyphs import draw_round
from app.theme.theme import Theme

WIDE, MEDIUM, SPACE = 860, 560, 16  # px of the content
_ROWS = {  # panels side by side, each with its share of the width
    "wide": ((("positions", 2), ("series", 3)), (("rounds", 1), ("memory", 1), ("prompts", 1))),
    "medium": ((("series", 1),), (("positions", 1), ("rounds", 1)), (("memory", 1), ("prompts", 1))),
    "narrow": tuple(((name, 1),) for name in ("positions", "series", "rounds", "memory", "prompts")),
}


def arrangement_for(width: int) -> str:
    return "wide" if width >= scaled(WIDE) else "medium" if width >= scaled(MEDIUM) else "narrow"


class PanelRows(QWidget):
    """The cards of the page, as many side by side as there is room for."""

    def __init__(self, panels: Mapping[str, QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._panels = panels
        self._arrangement = ""
        self._lines: list[QHBoxLayout] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE)
        for panel in panels.values():
            policy = panel.sizePolicy()
            policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)  # or a long heading would take from its neighbour
            panel.setSizePolicy(policy)
        self._arrange("wide")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(arrangement_for(self.width()))

    def _arrange(self, arrangement: str) -> None:
        if arrangement == self._arrangement:
            return
        self._arrangement = arrangement
        for row in self._lines:
            while row.count():
                row.takeAt(0)  # or the panel would keep the old place's sizes in mind, and the new one go stale
            self._column.removeItem(row)
            row.deleteLater()
        self._lines.clear()
        for places in _ROWS[arrangement]:
            line = QHBoxLayout()
            line.setSpacing(SPACE)
            for name, share in places:
                line.addWidget(self._panels[name], share)
            self._column.addLayout(line)
            self._lines.append(line)


class Head(QWidget):
    """Title, segments, names of what is shown, a button; where it is narrow the segments have a line of their own."""

    def __init__(
        self,
        segments: Segments,
        button: QPushButton,
        title: str = "Statistics",
        wide: int = WIDE,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._wide = wide
        self.names: QLabel = text_label("small", "caption")
        self._segments = segments
        self._is_wide: bool | None = None
        self._line = QHBoxLayout()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(10)
        self._column.addLayout(self._line)
        self._line.setSpacing(14)
        self._line.addWidget(text_label("page-title", text=title))
        self._line.addStretch(1)
        self._line.addWidget(self.names)
        self._line.addWidget(button)
        self._place(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(self.width() >= scaled(self._wide))

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
