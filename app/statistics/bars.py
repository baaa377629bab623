"""The painted drawings: acceptance by position, times of rounds, the batch, and stacks of shares."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.figures import write_amount
from app.statistics.chart import Chart, draw_words
from app.statistics.rounds import RoundFigures
from app.statistics.sizes import scaled
from app.statistics.tables import Position, positions_sentence, positions_table, rounds_sentence, rounds_table
from app.statistics.tracked import NUM_ROUNDS
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.theme import Theme

LABEL, FOOT = 22, 20  # px above and below the bars
LABEL_SPACE = 4  # px between two of them, at least
MOST_BAR = 44
MOST_POSITIONS = 16  # more are in the table


class PositionBars(Chart):
    """A bar for each position with the share of its proposals that was accepted, before a ghost of full height."""

    least_height = 130

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Accepted by position", parent)
        self._positions: tuple[Position, ...] = ()
        self.refit()

    def show_positions(self, positions: Sequence[Position]) -> None:
        self._positions = tuple(positions[:MOST_POSITIONS])
        self.describe(positions_sentence(positions), positions_table(positions))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = self.theme.tokens
        num_places = max(5, len(self._positions))
        step = self.width() / (num_places - 0.5)
        width = min(MOST_BAR, step * 0.55)
        step = (self.width() - width) / (num_places - 1)
        stride = label_stride([one.percent for one in self._positions], step)
        ghost = QColor(tokens.reject)
        ghost.setAlphaF(0.2)
        for place, one in enumerate(self._positions):
            left = place * step if not self.is_mirrored else self.width() - width - place * step
            bar = QRectF(left, scaled(LABEL), width, self.height() - scaled(LABEL) - scaled(FOOT))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ghost)
            painter.drawRoundedRect(bar, 4, 4)
            if not place % stride:
                middle = bar.center().x()
                self._label(painter, tokens.ink, "small-strong", one.percent, QPointF(middle, scaled(LABEL) - 8))
                self._label(painter, tokens.ink2, "caption", f"{place + 1}", QPointF(middle, self.height() - 5))
            if one.num_accepted:
                bar.setTop(bar.bottom() - max(2.0, bar.height() * one.share))
                draw_round(painter, bar, 4, tokens.draft_fill)

    def _label(self, painter: QPainter, colour: str, use: str, words: str, middle: QPointF) -> None:
        """Around a place, and never over the edge."""
        half = QFontMetricsF(font(use)).horizontalAdvance(words) / 2
        x = max(half, min(self.width() - half, middle.x()))
        draw_words(painter, colour, use, words, QPointF(x, middle.y()), 0.5)


def label_stride(words: Sequence[str], step: float) -> int:
    """Of bars so many pixels apart, which to label for no label to touch the next: each, every second, every third."""
    metrics = QFontMetricsF(font("small-strong"))
    widest = max((metrics.horizontalAdvance(one) for one in words), default=0.0)
    return max(1, ceil((widest + LABEL_SPACE) / step)) if step else 1


class RoundBars(Chart):
    """Verify and draft of the last rounds, stacked, the newest at the end."""

    least_height = 90

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Time of a round", parent)
        self._rounds: tuple[RoundFigures, ...] = ()
        self._end = "now"
        self.refit()

    def show_rounds(self, rounds: Sequence[RoundFigures], end: str = "now") -> None:
        """`end` says when the last of them was, where that is not now."""
        self._end = end
        self._rounds = tuple(rounds)[-NUM_ROUNDS:]
        self.describe(rounds_sentence(self._rounds), rounds_table(self._rounds))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.save()
        self.mirror(painter)
        self._draw_bars(painter)
        painter.restore()
        start = f"{write_amount(len(self._rounds), 'round')} {'ago' if self._end == 'now' else 'before'}"
        first = self.width() * (1 - len(self._rounds) / NUM_ROUNDS)
        room = self.width() - QFontMetricsF(font("caption")).horizontalAdvance(f"{start}  {self._end}")
        first = max(0.0, min(first, room))  # under the first bar, while that leaves room for the end
        start_at, end_at = QPointF(first, self.height() - 4), QPointF(self.width(), self.height() - 4)
        if self.is_mirrored:
            start_at, end_at = QPointF(self.width() - first, start_at.y()), QPointF(0, end_at.y())
        tokens = self.theme.tokens
        draw_words(painter, tokens.ink2, "caption", start, start_at, float(self.is_mirrored))
        draw_words(painter, tokens.ink2, "caption", self._end, end_at, 1.0 - self.is_mirrored)

    def _draw_bars(self, painter: QPainter) -> None:
        tokens, foot = self.theme.tokens, self.height() - scaled(FOOT)
        painter.fillRect(QRectF(0, 0, self.width(), 1), QColor(tokens.line))
        longest = max((one.verify + one.draft for one in self._rounds), default=0.0)
        scale = (foot - 1) / longest if longest else 0.0
        step = self.width() / NUM_ROUNDS
        for place, one in enumerate(self._rounds, start=NUM_ROUNDS - len(self._rounds)):
            left, right = round(place * step), round((place + 1) * step)
            width = max(1, right - left - (1 if step > 2 else 0))
            verify, draft = round(scale * one.verify), round(scale * one.draft)
            gap = 1 if draft > 2 else 0
            painter.fillRect(QRectF(left, foot - verify, width, verify), QColor(tokens.target))
            painter.fillRect(QRectF(left, foot - verify - draft, width, draft - gap), QColor(tokens.draft_fill))


class BatchLine(QWidget):
    """How many replies shared each of the last forwards, as steps; its number stands beside it in words."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._widths: tuple[int, ...] = ()
        self.setFixedHeight(18)
        theme.tokens_changed.connect(self.update)

    def show_rounds(self, rounds: Sequence[RoundFigures]) -> None:
        self._widths = tuple(one.num_rows for one in rounds)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._widths:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        most = max(2, *self._widths)
        step = self.width() / max(1, len(self._widths) - 1)
        path = QPainterPath()
        for place, num_rows in enumerate(self._widths):
            y = self.height() - 3 - (self.height() - 6) * (num_rows - 1) / (most - 1)
            point = QPointF(place * step, y)
            if place:
                path.lineTo(point.x(), path.currentPosition().y())
                path.lineTo(point)
            else:
                path.moveTo(point)
        painter.setPen(QPen(QColor(self._theme.tokens.target), 1.5))
        painter.drawPath(path)

    def sizeHint(self) -> QSize:
        return QSize(110, 18)
