"""TimeChart: acceptance length and depth over the last five minutes."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.statistics.chart import Chart, draw_words
from app.statistics.series import SPAN_SECONDS, Point
from app.statistics.sizes import scaled
from app.statistics.tables import series_sentence, series_table
from app.theme.theme import Theme

AXIS, FOOT = 26, 20
LEAST_TOP = 4  # of the scale
GAP_SECONDS = 6.0  # without a round, after which the lines begin anew
SHORT_SPAN = 60  # seconds; a reply of a few seconds would be a sliver in five minutes
MARKS = {
    SPAN_SECONDS: ((300, "5 min ago"), (180, "3 min"), (60, "1 min"), (0, "now")),
    SHORT_SPAN: ((60, "1 min ago"), (40, "40 s"), (20, "20 s"), (0, "now")),
}


class TimeChart(Chart):
    """Painted here and not by a plotting library: importing one holds the window up for half a second."""

    least_height = 150

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Acceptance length and depth", parent)
        self._points: tuple[Point, ...] = ()
        self._end = "now"
        self.refit()

    def show_points(self, points: Sequence[Point], end: str = "now") -> None:
        """`end` says what the end of the axis is, where that is not now."""
        self._points, self._end = tuple(points), end
        self.describe(series_sentence(points), series_table(points))

    @property
    def span(self) -> int:
        """Seconds that the axis is long: a minute, and from then on five."""
        return SHORT_SPAN if all(one.seconds_ago <= SHORT_SPAN for one in self._points) else SPAN_SECONDS

    @property
    def _top(self) -> int:
        """The scale's greatest value, even."""
        highest = max((max(one.depth, one.acceptance_length or 0) for one in self._points), default=0)
        return max(LEAST_TOP, 2 * ceil((highest + 0.5) / 2))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        plot = QRectF(scaled(AXIS), 8, self.width() - scaled(AXIS) - 2, self.height() - scaled(FOOT) - 8)
        if self.is_mirrored:
            plot.moveLeft(2)
        top = self._top
        self._draw_scale(painter, plot, top)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.mirror(painter)
        plot.moveLeft(scaled(AXIS))
        self._draw_lines(painter, plot, top)
        painter.restore()

    def _draw_scale(self, painter: QPainter, plot: QRectF, top: int) -> None:
        tokens = self.theme.tokens
        step = 2 * ceil(top / 8)
        for value in range(0, top + 1, step):
            y = round(plot.bottom() - plot.height() * value / top)
            painter.fillRect(QRectF(plot.left(), y, plot.width(), 1), QColor(tokens.line))
            x, align = (plot.right() + 8, 0.0) if self.is_mirrored else (plot.left() - 8, 1.0)
            draw_words(painter, tokens.ink2, "caption", f"{value}", QPointF(x, y + 4), align)
        for seconds, words in MARKS[self.span]:
            share = 1 - seconds / self.span
            x = plot.right() - plot.width() * share if self.is_mirrored else plot.left() + plot.width() * share
            align = 1 - share if self.is_mirrored else share
            shown = words if self._end == "now" else words.replace("ago", "before") if seconds else self._end
            draw_words(painter, tokens.ink2, "caption", shown, QPointF(x, self.height() - 4), align)

    def _draw_lines(self, painter: QPainter, plot: QRectF, top: int) -> None:
        tokens = self.theme.tokens

        span = self.span

        def place(seconds_ago: float, value: float) -> QPointF:
            x = plot.right() - plot.width() * seconds_ago / span
            return QPointF(x, plot.bottom() - plot.height() * value / top)

        ground = QColor(tokens.draft_fill)
        ground.setAlphaF(0.14)
        for stretch in stretches(self._points):
            lengths = [(one.seconds_ago, one.acceptance_length) for one in stretch if one.acceptance_length]
            line = _path([place(seconds, value) for seconds, value in lengths])
            if lengths:
                area = QPainterPath(line)
                area.lineTo(place(lengths[-1][0], 1))
                area.lineTo(place(lengths[0][0], 1))
                painter.fillPath(area, ground)
            painter.setPen(QPen(QColor(tokens.draft_fill), 1.6))
            painter.drawPath(line)
            painter.setPen(QPen(QColor(tokens.ink2), 1.2, Qt.PenStyle.CustomDashLine))
            pen = painter.pen()
            pen.setDashPattern([3.0, 2.5])
            painter.setPen(pen)
            painter.drawPath(_path([place(one.seconds_ago, one.depth) for one in stretch], is_stepped=True))
        painter.fillRect(QRectF(plot.left(), place(0, 1).y() - 0.75, plot.width(), 1.5), QColor(tokens.target))


def stretches(points: Sequence[Point]) -> list[list[Point]]:
    """Points in a row without a pause, so that no line is drawn over a time in which nothing was measured."""
    found: list[list[Point]] = []
    for one in points:
        if found and found[-1][-1].seconds_ago - one.seconds_ago <= GAP_SECONDS:
            found[-1].append(one)
        else:
            found.append([one])
    return found


def _path(places: Sequence[QPointF], *, is_stepped: bool = False) -> QPainterPath:
    """A line through these; one that has a single place is a short dash there."""
    path = QPainterPath()
    for number, place in enumerate(places):
        if not number:
            path.moveTo(place)
            path.lineTo(place + QPointF(1.5, 0))
            continue
        if is_stepped:
            path.lineTo(place.x(), path.currentPosition().y())
        path.lineTo(place)
    return path
