"""Inspector: the statistics of the reply in view, beside the transcript."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.conversations.records import Message, ReplyState
from app.figures import NO_BREAK, write_count, write_rate, write_speedup
from app.frame.focus_order import in_order
from app.statistics.bars import PositionBars
from app.statistics.details import Row, detail_rows, speedup_tone
from app.statistics.history import History
from app.statistics.number_row import NumberRow
from app.statistics.numbers import Number
from app.statistics.panel import text_label
from app.statistics.panels import Hairline
from app.statistics.shares import Share
from app.statistics.sizes import scaled
from app.statistics.spark import Spark
from app.statistics.stack import ShareRows
from app.statistics.switch import Switch
from app.statistics.tables import UNKNOWN, Position
from app.statistics.tracked import TrackedReply
from app.theme.buttons import SymbolButton
from app.theme.theme import Theme
from engine.messages import Statistics

WIDTH, SIDE = 304, 18
NOTHING = "No reply is in view."
UNTOLD = "Nothing was measured of this reply."
READING = "The prompt is being read."
_IN_ROWS = ("First token", "Reply", "Prompt", "Accepted of proposed", "Forwards saved", "Tokens per forward")
_ROWS = (*_IN_ROWS, "Verify, draft", "Forward", "Forward, looking for a draft", "Replies in the batch", "Depth")
_LAST = ("State", "Model", "Drafter", "Temperature", "Seed")


class Inspector(QWidget):
    """304 px wide; drawn anew at most four times a second, and only while it is seen."""

    tint_toggled = Signal(bool)
    close_asked = Signal()

    def __init__(self, theme: Theme, history: History, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._history = history
        self._message_id = ""
        self._message: Message | None = None
        self.rounds = text_label("small", "secondary")
        self.numbers = NumberRow(theme, "Rates of this reply", least_column=120)
        self.positions_label = text_label("small", "secondary", "Accepted by position, %")
        self.positions = PositionBars(theme)
        self.spark = Spark(theme)
        self.rows = ShareRows(theme, "Statistics of this reply")
        self.note = text_label("small", "secondary", NOTHING, wraps=True)
        self.tint = Switch(theme, "Tint drafted text", self)
        self._close = SymbolButton(theme, "close", "Close the inspector", self)
        self._close.clicked.connect(self.close_asked)
        self._close.hide()
        self._parts = (self.numbers, self.positions_label, self.positions, self.spark, self.rows)
        self._lay_out()
        self.tint.toggled.connect(self.tint_toggled)
        history.changed.connect(self._refresh_if_seen)
        theme.tokens_changed.connect(self._refit)
        self._refit()
        self.refresh()

    def _lay_out(self) -> None:
        self.setAccessibleName("Inspector")
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(SIDE, 0, SIDE, 12)
        column.setSpacing(12)
        for part in (*self._parts, self.note):
            column.addWidget(part)
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidget(content)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        head = QHBoxLayout()
        head.setContentsMargins(SIDE, 16, SIDE, 12)
        head.addWidget(text_label("heading", text="This reply"))
        head.addStretch(1)
        head.addWidget(self.rounds)
        head.addWidget(self._close)
        foot = QVBoxLayout()
        foot.setContentsMargins(SIDE, 0, SIDE, 8)
        foot.addWidget(Hairline(self._theme))
        foot.addWidget(self.tint)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(1, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(head)
        whole.addWidget(scroll, 1)
        whole.addLayout(foot)
        in_order((self._close, *(part for part in self._parts if part is not self.positions_label), self.tint))

    def _refit(self) -> None:
        self.setFixedWidth(scaled(WIDTH))
        self.positions.setFixedHeight(scaled(126))
        self.update()

    def set_over(self, is_over: bool) -> None:
        """Lying over the chat, it can be closed where it is."""
        self._close.setVisible(is_over)

    def show_reply(self, message_id: str, message: Message | None = None) -> None:
        """A reply of this run by its message's id; the message itself serves for one that an earlier run generated.

        "" is no reply.
        """
        self._message_id, self._message = message_id, message
        self._refresh_if_seen()

    def set_tint(self, is_tinted: bool) -> None:
        """Show what the window does, without telling it."""
        self.tint.blockSignals(True)
        self.tint.setChecked(is_tinted)
        self.tint.blockSignals(False)
        self.tint.update()

    def refresh(self) -> None:
        tracked = self._history.reply_of(self._message_id) if self._message_id else None
        message = self._message if self._message is not None and self._message.id == self._message_id else None
        if tracked is not None:  # it knows of an end before the message that was handed in does
            end = tracked.message
            message = replace(message or end, state=end.state, finish_reason=end.finish_reason)
        statistics = tracked.statistics if tracked else message.statistics if message else None
        if statistics is None or not statistics.num_rounds:
            is_running = message is not None and message.state is ReplyState.RUNNING
            self._show_nothing(NOTHING if not self._message_id else READING if is_running else UNTOLD)
            return
        self._show(statistics, tracked, message)

    @property
    def text(self) -> str:
        """Everything that is shown, as text."""
        if self.numbers.isHidden():
            return self.note.text()
        parts = (self.numbers.sentence, self.positions.sentence, self.spark.sentence, self.rows.table.text)
        return "\n".join(part for part in (*parts, self.note.text()) if part)

    def _show_nothing(self, sentence: str) -> None:
        for part in self._parts:
            part.hide()
        self.rounds.setText("")
        self.note.setText(sentence)
        self.note.show()

    def _show(self, statistics: Statistics, tracked: TrackedReply | None, message: Message | None) -> None:
        has_drafted = bool(statistics.num_proposed)
        rounds = tuple(tracked.rounds) if tracked else ()
        self.rounds.setText(write_count(statistics.num_rounds, "rounds"))
        rate = self._history.rate_of(tracked) if tracked else statistics.tokens_per_second or None
        self.numbers.show_numbers(numbers_of(statistics, rate))
        self.positions.show_positions(positions_in(statistics))
        self.spark.show_rounds(rounds, statistics.acceptance_length)
        rows = shown_rows(detail_rows(replace(statistics, depth_reason=""), message))
        self.rows.show_shares(rows, "Counts and times of this reply.", ("What", "Value"))
        is_running = tracked is not None and tracked.is_running
        reason = f"{statistics.depth}. {statistics.depth_reason}"
        self.note.setText(f"Depth {reason}" if is_running else f"Depth of the last round {reason}")
        self.note.setVisible(bool(statistics.depth_reason))
        self.numbers.show()
        self.rows.show()
        for part in (self.positions_label, self.positions):
            part.setVisible(has_drafted)
        self.spark.setVisible(has_drafted and len(rounds) > 1)

    def _refresh_if_seen(self) -> None:
        if self.isVisible():
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), self._theme.tokens
        painter.fillRect(self.rect(), QColor(tokens.sidebar))
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        painter.fillRect(QRectF(self.width() - 1 if is_mirrored else 0, 0, 1, self.height()), QColor(tokens.line))

    def sizeHint(self) -> QSize:
        return QSize(scaled(WIDTH), 600)


def numbers_of(statistics: Statistics, rate: float | None) -> tuple[Number, Number]:
    written = write_rate(rate).split(NO_BREAK)[0] if rate is not None else UNKNOWN
    if not statistics.num_proposed:
        against = Number(UNKNOWN, "vs plain, nothing was drafted")
    elif not statistics.speedup:
        against = Number(UNKNOWN, "vs plain, not measured")
    else:
        tone = speedup_tone(statistics.speedup)
        against = Number(write_speedup(statistics.speedup), "vs plain, measured here", tone=tone)
    return Number(written, "tok/s"), against


def positions_in(statistics: Statistics) -> tuple[Position, ...]:
    reached = statistics.reached_by_position or (0,) * len(statistics.proposed_by_position)
    counts = zip(statistics.proposed_by_position, reached, statistics.accepted_by_position, strict=False)
    return tuple(Position(*each) for each in counts)


def shown_rows(rows: Sequence[Row]) -> tuple[Share, ...]:
    """Those that have room in a narrow column."""
    known = dict(rows)
    return tuple(Share(name, known[name]) for name in (*_ROWS, *_LAST) if name in known)
