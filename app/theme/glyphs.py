"""The small drawings that are not symbols: the running glyph, the unread dot, the focus ring."""

from __future__ import annotations

from math import pi, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.theme.tokens import Tokens

GLYPH_WIDTH = 15.0
_LINES = ((1.0, 8.0, -4.0), (0.0, 6.0, 0.0), (1.0, 8.0, 4.0))  # left, right, height of each line


def draw_running(painter: QPainter, tokens: Tokens, left: float, middle: float, phase: float) -> None:
    """Three lines of the stream and the dot ahead of it; each line moves by up to 2 px in turn."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(QColor(tokens.target), 1.8)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    for index, (start, end, height) in enumerate(_LINES):
        shift = 2.0 * max(0.0, sin(2 * pi * (phase - index / 3))) if phase else 0.0
        painter.drawLine(QPointF(left + start + shift, middle + height), QPointF(left + end + shift, middle + height))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens.draft_fill))
    painter.drawEllipse(QPointF(left + 12.5, middle), 2.4, 2.4)
    painter.restore()


def draw_dot(painter: QPainter, colour: str, centre: QPointF, radius: float = 3.0) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawEllipse(centre, radius, radius)
    painter.restore()


def draw_round(painter: QPainter, rect: QRectF, radius: float, fill: str | None, border: str | None = None) -> None:
    """A rounded ground, with a 1 px border on whole pixels where one is given."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(QColor(fill) if fill else Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(border), 1.0) if border else Qt.PenStyle.NoPen)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5) if border else rect, radius, radius)
    painter.restore()


def draw_focus_ring(painter: QPainter, tokens: Tokens, rect: QRectF, radius: float) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(tokens.target), 2.0))
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), radius, radius)
    painter.restore()
