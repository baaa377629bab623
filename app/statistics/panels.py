"""The five cards of the statistics page."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.figures import write_count, write_milliseconds
from app.statistics.bars import BatchLine, PositionBars, RoundBars
from app.statistics.history import History
from app.statistics.legend import Entry, Legend
from app.statistics.memory import MemoryWatch
from app.statistics.panel import Panel, text_label
from app.statistics.rounds import num_proposing_of
from app.statistics.shares import Share, disk_words, memory_shares, memory_words, prompt_rows, used_bytes
from app.statistics.stack import ShareRows
from app.statistics.tables import (
    NOT_COUNTED,
    UNKNOWN,
    are_timed,
    forward_word,
    has_drafted,
    mean_times,
    positions_of,
    write_measured,
)
from app.statistics.time_chart import TimeChart
from app.statistics.views import Scene
from app.theme.fonts import font
from app.theme.theme import Theme

NO_ANSWER = "The engine has not said yet what it holds."


class PositionsPanel(Panel):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._bars = PositionBars(theme)
        super().__init__(theme, "Accepted by position", self._bars, parent)
        self.value.setProperty("kind", "caption")
        self.value.setFont(font("small"))

    def show_scene(self, scene: Scene) -> None:
        positions = positions_of(scene.replies)
        self._bars.show_positions(positions)
        num_rounds = write_count(sum(num_proposing_of(one.own) for one in scene.replies), "rounds")
        note = f"Of {num_rounds} that proposed. {NOT_COUNTED}" if positions else "Nothing was drafted."
        self.refresh("% of rounds" if positions else "", note)


class SeriesPanel(Panel):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._chart = TimeChart(theme)
        super().__init__(theme, "Acceptance length and depth", self._chart, parent)
        length, plain = Entry("draft_fill", "acceptance length"), Entry("target", "plain is 1")
        self.set_legend(Legend(theme, (length, Entry("ink2", "depth", is_dashed=True), plain), self))

    def show_scene(self, scene: Scene) -> None:
        self._chart.show_points(scene.points, scene.end)
        self.refresh("", scene.depth_sentence or self._chart.sentence)


class RoundsPanel(Panel):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._bars = RoundBars(theme)
        super().__init__(theme, "Time of a round", self._bars, parent)
        self._times = Legend(theme, (), self)
        self._batch = BatchLine(theme, self)
        self._width = text_label("small-strong")
        batch = QHBoxLayout()
        batch.addWidget(text_label("small", "secondary", "Replies in the batch"))
        batch.addStretch(1)
        batch.addWidget(self._batch)
        batch.addWidget(self._width)
        batch.setSpacing(12)
        self.column.insertWidget(2, self._times)
        self.column.addWidget(Hairline(theme))
        self.column.addLayout(batch)

    def show_scene(self, scene: Scene) -> None:
        rounds = scene.rounds
        self._bars.show_rounds(rounds, scene.end)
        shared = [one for one in rounds if one.num_rows]
        self._batch.show_rounds(shared)
        self._width.setText(write_count(shared[-1].num_rows) if shared else UNKNOWN if rounds else "")
        if not are_timed(rounds):
            self._times.show_entries(())
            self.refresh("not measured" if rounds else "")
            return
        verify, draft = mean_times(rounds)
        entries = [Entry("target", f"{forward_word(rounds)} {write_measured(verify)}")]
        entries += [Entry("draft_fill", f"draft {write_measured(draft)}")] if has_drafted(rounds) else []
        self._times.show_entries(entries)
        self.refresh(write_milliseconds(verify + draft))


class MemoryPanel(Panel):
    def __init__(self, theme: Theme, memory: MemoryWatch, parent: QWidget | None = None) -> None:
        self._rows = ShareRows(theme, "Memory")
        self._memory = memory
        super().__init__(theme, "Memory", self._rows, parent)
        memory.changed.connect(self.show_report)
        self.show_report()

    def show_report(self) -> None:
        report = self._memory.report
        if report is None:
            self._rows.show_shares((), NO_ANSWER, ("Part", "Size"))
            self.refresh("", NO_ANSWER)
            return
        words, shares = memory_words(report), memory_shares(report)
        whole = report.limit_bytes or used_bytes(report)
        sentence = f"{words} are in use for models and caches."
        self._rows.show_shares(shares, sentence, ("Part", "Size"), bands=shares, whole=whole)
        self.refresh(words)


class PromptPanel(Panel):
    """The bar is of the folder's budget; the rows are of the replies that the page lists."""

    def __init__(self, theme: Theme, memory: MemoryWatch, parent: QWidget | None = None) -> None:
        self._rows = ShareRows(theme, "Prompt cache")
        self._memory = memory
        super().__init__(theme, "Prompt cache", self._rows, parent)

    def show_history(self, history: History, conversation_id: str) -> None:
        rows, cache = prompt_rows(history.replies(conversation_id)), self._memory.cache
        on_disk = disk_words(cache)
        words = f"{rows[1].value} of {rows[0].value} prompt tokens came from the cache."
        words += f" It holds {on_disk} on disk." if on_disk else ""
        bands = (Share("On disk", on_disk, cache.disk_bytes, "target"),) if cache else ()
        whole = cache.budget_bytes if cache else 0
        self._rows.show_shares(rows, words, ("Prompt tokens", "Number"), bands=bands, whole=whole)
        self.refresh(on_disk, cache.problem if cache else "")


class Hairline(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFixedHeight(1)
        theme.tokens_changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(QRectF(self.rect()), QColor(self._theme.tokens.line))
