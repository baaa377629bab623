"""Switch: a labelled control that is on or off."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.statistics.chart import draw_words
from app.theme.buttons import PaintedButton
from app.theme.fonts import font
from app.theme.glyphs import draw_dot, draw_focus_ring, draw_round
from app.theme.theme import Theme

TRACK, KNOB, HEIGHT = QSize(36, 20), 7.0, 36


class Switch(PaintedButton):
    """The name stands at the start, the track at the end; the place of the knob tells the state beside the colour."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, name, parent)
        self.setText(name)
        self.setToolTip("")
        self.setCheckable(True)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        width = QFontMetricsF(font("interface")).horizontalAdvance(self.text())
        return QSize(round(width) + 16 + TRACK.width(), HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), self.theme.tokens
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        baseline = HEIGHT / 2 + QFontMetricsF(font("interface")).capHeight() / 2
        start = QPointF(self.width() if is_mirrored else 0, baseline)
        draw_words(painter, tokens.ink, "interface", self.text(), start, float(is_mirrored))
        left = 2 if is_mirrored else self.width() - TRACK.width() - 2
        track = QRectF(left, (HEIGHT - TRACK.height()) / 2, TRACK.width(), TRACK.height())
        draw_round(painter, track, 10, tokens.target if self.isChecked() else tokens.edge)
        is_right = self.isChecked() != is_mirrored
        knob = QPointF(track.right() - 10 if is_right else track.left() + 10, track.center().y())
        draw_dot(painter, tokens.on_target if self.isChecked() else tokens.raised, knob, KNOB)
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, track.adjusted(-3, -3, 3, 3), 12)
