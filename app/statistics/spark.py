"""Spark: the acceptance length of a reply's last rounds, as a small line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.figures import write_amount, write_ratio
from app.statistics.chart import Chart, draw_words
from app.statistics.rounds import RoundFigures
from app.statistics.sizes import scaled
from app.statistics.tables import rounds_table
from app.theme.theme import Theme

HEAD, FOOT, HEIGHT = 24, 22, 92
MEAN_OF = 8  # rounds


class Spark(Chart):
    """Each place is the mean of the rounds up to it, MEAN_OF at most."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Acceptance length of the last rounds", parent)
        self._lengths: tuple[float, ...] = ()
        self._whole = ""
        self.setFixedHeight(scaled(HEIGHT))

    def fit(self) -> None:
        self.setFixedHeight(scaled(HEIGHT))

    def show_rounds(self, rounds: Sequence[RoundFigures], whole: float) -> None:
        """`whole` is the acceptance length of the whole reply."""
        self._lengths = running_means(rounds)
        self._whole = write_ratio(whole) if whole else ""
        self.describe(
            f"Acceptance length {self._whole}; the line is the mean of {MEAN_OF} rounds." if self._lengths else "",
            rounds_table(rounds),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens, width = self.theme.tokens, float(self.width())
        start, end = (width, 0.0) if self.is_mirrored else (0.0, width)
        at_start, at_end = float(self.is_mirrored), 1.0 - self.is_mirrored
        draw_words(painter, tokens.ink2, "small", "Acceptance length", QPointF(start, scaled(13)), at_start)
        draw_words(painter, tokens.ink, "small-strong", self._whole, QPointF(end, scaled(13)), at_end)
        foot = self.height() - scaled(FOOT)
        painter.fillRect(QRectF(0, foot, width, 1), QColor(tokens.line))
        ago = f"{write_amount(len(self._lengths), 'round')} ago"
        draw_words(painter, tokens.ink2, "caption", ago, QPointF(start, self.height() - 6), at_start)
        draw_words(painter, tokens.ink2, "caption", "last round", QPointF(end, self.height() - 6), at_end)
        self._draw_line(painter, QRectF(0, scaled(HEAD), width, foot - scaled(HEAD) - 3))

    def _draw_line(self, painter: QPainter, rect: QRectF) -> None:
        if len(self._lengths) < 2:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.mirror(painter)
        most = max(2.0, *self._lengths)
        path = QPainterPath()
        for place, length in enumerate(self._lengths):
            x = rect.width() * place / (len(self._lengths) - 1)
            point = QPointF(x, rect.bottom() - rect.height() * (length - 1) / (most - 1))
            if place:
                path.lineTo(point)
            else:
                path.moveTo(point)
        painter.setPen(QPen(QColor(self.theme.tokens.draft_fill), 1.6))
        painter.drawPath(path)
        painter.restore()


def running_means(rounds: Sequence[RoundFigures]) -> tuple[float, ...]:
    """Acceptance length over the last rounds up to each one that proposed."""
    proposing = [one for one in rounds if one.num_proposing]
    means = []
    for place in range(len(proposing)):
        window = proposing[max(0, place - MEAN_OF + 1) : place + 1]
        means.append(sum(one.num_accepted for one in window) / sum(one.num_proposing for one in window) + 1)
    return tuple(means)
