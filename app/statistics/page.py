"""StatisticsPage: the numbers of all replies, or of one chat, on one page."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.statistics.exporting import Exporting
from app.statistics.figure_table import FigureTable
from app.statistics.history import History
from app.statistics.memory import MemoryWatch
from app.statistics.number_row import NumberRow
from app.statistics.numbers import big_numbers
from app.statistics.page_layout import Head, PanelRows, TableCard
from app.statistics.panel import text_label
from app.statistics.panels import MemoryPanel, PositionsPanel, PromptPanel, RoundsPanel, SeriesPanel
from app.statistics.segments import Segments
from app.statistics.views import DROPPABLE, names_of, replies_table, scene_of, segments_of
from app.theme.theme import Theme

SIDE = 32
EMPTY = "Statistics appear with the first reply."
RECALLED = (
    "These replies ended before the start. Their single rounds are not kept: two charts appear with the next reply."
)


class StatisticsPage(QWidget):
    """Drawn anew when the history changes, at most four times a second, and only while it is seen."""

    def __init__(self, theme: Theme, history: History, memory: MemoryWatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._memory = memory
        self.segments = Segments(theme, "Replies to show")
        self.numbers = NumberRow(theme, "Numbers of these replies")
        self.empty = text_label("interface", "secondary", EMPTY)
        self.replies = FigureTable(theme, "The last replies")
        self.positions = PositionsPanel(theme)
        self.series = SeriesPanel(theme)
        self.rounds = RoundsPanel(theme)
        self.memory = MemoryPanel(theme, memory)
        self.prompts = PromptPanel(theme, memory)
        self.panels = {
            "positions": self.positions,
            "series": self.series,
            "rounds": self.rounds,
            "memory": self.memory,
            "prompts": self.prompts,
        }
        self.exporting = Exporting(theme, history, memory, lambda: self.segments.key, self.plain_text, self)
        self._card = TableCard(theme, self.replies)
        self._head = Head(self.segments, self.exporting.button)
        self._rows = PanelRows(self.panels)
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(SIDE, 20, SIDE, SIDE)
        column.setSpacing(16)
        for part in (self._head, self.exporting.note, self.empty, self.numbers):
            column.addWidget(part)
        column.addWidget(self._rows)
        column.addWidget(self._card)
        column.addStretch(1)
        self.replies.set_droppable(DROPPABLE)
        self._scroll = QScrollArea(self)
        self._scroll.setWidget(content)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._scroll)
        order = [self.segments, self.exporting.button, self.numbers]
        for panel in self.panels.values():
            order += [panel.chart, panel.table, panel.more]
        for first, second in pairwise([*order, self.replies]):
            QWidget.setTabOrder(first, second)

    def _connect(self) -> None:
        self._memory.watch(self, with_cache=True)
        self._history.changed.connect(self._refresh_if_seen)
        self._memory.changed.connect(self._refresh_if_seen)
        self.segments.chosen.connect(lambda key: self.refresh())

    def show_chat(self, conversation_id: str) -> None:
        """Show one chat's replies where it has any, else all."""
        self.segments.show_segments(segments_of(self._history, conversation_id))
        self.segments.choose(conversation_id)
        self.refresh()

    def refresh(self) -> None:
        history = self._history
        self.segments.show_segments(segments_of(history, self.segments.key))
        key = self.segments.key
        scene = scene_of(history, key)
        self.numbers.show_numbers(big_numbers(history, key))
        for panel in (self.positions, self.series, self.rounds):
            panel.show_scene(scene)
        self.prompts.show_history(history, key)
        self.replies.show_table(*replies_table(history, key))
        self._head.names.setText(names_of(scene.replies))
        has_any = bool(scene.replies)
        self.empty.setText(RECALLED if has_any else EMPTY)
        self.empty.setVisible(not scene.has_rounds)
        self.exporting.button.setEnabled(has_any)
        for part in (self.numbers, self.positions, self.prompts, self._card):
            part.setVisible(has_any)
        for chart in (self.series, self.rounds):
            chart.setVisible(scene.has_rounds)

    def plain_text(self) -> str:
        """Everything that the page shows, as text."""
        if self.numbers.table.rows == ():
            return "\n\n".join((EMPTY, self.memory.text))
        parts = [panel.text for panel in self.panels.values()]
        return "\n\n".join((self.numbers.table.text, *parts, self.replies.figures.table.text))

    def _refresh_if_seen(self) -> None:
        if self.isVisible():
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
