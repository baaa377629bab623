"""The painted drawings: acceptance by position, times of rounds, the batch, and stacks of shares."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.statistics.chart import Chart, draw_words
from app.statistics.rounds import RoundFigures
from app.statistics.tables import Position, positions_sentence, positions_table, rounds_sentence, rounds_table
from app.statistics.tracked import NUM_ROUNDS
from app.theme.glyphs import draw_round
from app.theme.theme import Theme

LABEL, FOOT = 22, 20  # px above and below the bars
MOST_BAR = 44
MOST_POSITIONS = 16  # more are in the table


class PositionBars(Chart):
    """A bar for each position with the share of its proposals that was accepted, before a ghost of full height."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Accepted by position", parent)
        self._positions: tuple[Position, ...] = ()
        self.setMinimumHeight(130)

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
        ghost = QColor(tokens.reject)
        ghost.setAlphaF(0.2)
        for place, one in enumerate(self._positions):
            left = place * step if not self.is_mirrored else self.width() - width - place * step
            bar = QRectF(left, LABEL, width, self.height() - LABEL - FOOT)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ghost)
            painter.drawRoundedRect(bar, 4, 4)
            middle = bar.center().x()
            draw_words(painter, tokens.ink, "small-strong", one.percent, QPointF(middle, LABEL - 8), 0.5)
            draw_words(painter, tokens.ink2, "caption", f"{place + 1}", QPointF(middle, self.height() - 5), 0.5)
            if one.num_accepted:
                bar.setTop(bar.bottom() - max(2.0, bar.height() * one.share))
                draw_round(painter, bar, 4, tokens.draft_fill)
        self.draw_focus(painter)


class RoundBars(Chart):
    """Verify and draft of the last rounds, stacked, the newest at the end."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Time of a round", parent)
        self._rounds: tuple[RoundFigures, ...] = ()
        self.setMinimumHeight(90)

    def show_rounds(self, rounds: Sequence[RoundFigures]) -> None:
        self._rounds = tuple(rounds)[-NUM_ROUNDS:]
        self.describe(rounds_sentence(self._rounds), rounds_table(self._rounds))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.save()
        self.mirror(painter)
        tokens, foot = self.theme.tokens, self.height() - FOOT
        painter.fillRect(QRectF(0, 0, self.width(), 1), QColor(tokens.line))
        longest = max((one.verify + one.draft for one in self._rounds), default=0.0)
        step = self.width() / NUM_ROUNDS
        first = NUM_ROUNDS - len(self._rounds)
        for place, one in enumerate(self._rounds, start=first):
            left, right = round(place * step), round((place + 1) * step)
            width = max(1, right - left - (1 if step > 2 else 0))
            verify = round((foot - 1) * one.verify / longest) if longest else 0
            draft = round((foot - 1) * one.draft / longest) if longest else 0
            painter.fillRect(QRectF(left, foot - verify, width, verify), QColor(tokens.target))
            if draft:
                gap = 1 if draft > 2 else 0
                painter.fillRect(QRectF(left, foot - verify - draft, width, draft - gap), QColor(tokens.draft_fill))
        painter.restore()
        start, end = f"{max(1, len(self._rounds))} rounds ago", "now"
        ends = (0.0, float(self.width())) if not self.is_mirrored else (float(self.width()), 0.0)
        draw_words(painter, tokens.ink2, "caption", start, QPointF(ends[0], self.height() - 4), float(self.is_mirrored))
        draw_words(painter, tokens.ink2, "caption", end, QPointF(ends[1], self.height() - 4), 1.0 - self.is_mirrored)
        self.draw_focus(painter)


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
