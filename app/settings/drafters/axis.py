"""The axis of a row: how fast a drafter is against plain decoding, a dot for one reply and a ring for four."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.theme.glyphs import draw_dot
from app.theme.tokens import Tokens

LEAST = 0.8  # where it begins
DOT, RING, TICK = 5.0, 4.0, 8.0  # px: radii, and half of the tick's height


def place_on(value: float, end: float, within: QRectF, direction: Qt.LayoutDirection) -> float:
    """The x of a value; what is slower than the axis begins stands at its beginning."""
    share = (min(max(value, LEAST), end) - LEAST) / (end - LEAST)
    if direction == Qt.LayoutDirection.RightToLeft:
        share = 1.0 - share
    return within.left() + DOT + share * (within.width() - 2 * DOT)


def draw_axis(
    painter: QPainter,
    tokens: Tokens,
    within: QRectF,
    end: float,
    alone: float | None,
    together: float | None,
    *,
    is_plain: bool = False,
    is_faint: bool = False,
) -> None:
    """`is_plain`: of plain decoding itself, a grey dot at ×1; `is_faint`: of before an update."""
    direction, middle = painter.layoutDirection(), round(within.center().y()) + 0.5
    one = place_on(1.0, end, within, direction)
    fill = tokens.edge if is_faint else tokens.ink2 if is_plain else tokens.draft_fill
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _line(painter, tokens.line, 1.0, within.left(), within.right(), middle)
    if alone is not None and not is_plain:
        colour = tokens.alert if alone < 1 and not is_faint else fill
        _line(painter, colour, 3.0, one, place_on(alone, end, within, direction), middle)
    painter.setPen(QPen(QColor(tokens.edge), 1.0))
    tick = round(one) + 0.5
    painter.drawLine(QPointF(tick, middle - TICK), QPointF(tick, middle + TICK))
    if alone is not None:
        colour = tokens.alert if alone < 1 and not is_faint else fill
        draw_dot(painter, colour, QPointF(place_on(alone, end, within, direction), middle), DOT)
    if together is not None and not is_plain:
        colour = tokens.alert if together < 1 and not is_faint else fill
        draw_ring(painter, tokens.raised, colour, QPointF(place_on(together, end, within, direction), middle))
    painter.restore()


def draw_ring(painter: QPainter, ground: str, colour: str, centre: QPointF) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colour), 2.0))
    painter.setBrush(QColor(ground))
    painter.drawEllipse(centre, RING, RING)
    painter.restore()


def _line(painter: QPainter, colour: str, width: float, start: float, end: float, middle: float) -> None:
    painter.setPen(QPen(QColor(colour), width))
    painter.drawLine(QPointF(start, middle), QPointF(end, middle))
