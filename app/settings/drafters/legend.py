"""Legend: what dot, ring and tick of the axes stand for."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.settings.drafters.axis import draw_ring
from app.statistics.chart import running_as_written
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.glyphs import draw_dot
from app.theme.mirroring import mirrored
from app.theme.theme import Theme

MARK, GAP = 16, 16  # px: from a mark to its words, and from words to the next mark


class Legend(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: tuple[tuple[str, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        theme.tokens_changed.connect(self._refit)

    def show_plain(self, rate: str) -> None:
        """`rate` is of plain decoding; "" where it is not known."""
        parts = [("dot", "1 reply"), ("ring", "4 replies at once")]
        self._parts = (*parts, ("tick", f"plain, {rate}")) if rate else tuple(parts)
        words = ", ".join(words for _, words in self._parts)
        self.setAccessibleName(f"Marks: {words}")
        self._refit()

    def _refit(self) -> None:
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(font("small"))
        width = sum(metrics.horizontalAdvance(words) + MARK + GAP for _, words in self._parts)
        return QSize(round(width), scaled(20))

    def minimumSizeHint(self) -> QSize:
        """What has no room is left out."""
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens, whole = QPainter(self), self._theme.tokens, QRectF(self.rect())
        metrics, left = QFontMetricsF(font("small")), 0.0
        painter.setFont(font("small"))
        for mark, words in self._parts:
            width = metrics.horizontalAdvance(words)
            if left + MARK + width > whole.width():
                break
            place = mirrored(QRectF(left, 0, MARK, whole.height()), whole, self.layoutDirection())
            centre = QPointF(place.center().x(), round(whole.height() / 2) + 0.5)
            if mark == "dot":
                draw_dot(painter, tokens.draft_fill, centre, 4.5)
            elif mark == "ring":
                draw_ring(painter, tokens.canvas, tokens.draft_fill, centre)
            else:
                painter.setPen(QPen(QColor(tokens.edge), 1.0))
                painter.drawLine(centre + QPointF(0, -6), centre + QPointF(0, 6))
            room = mirrored(QRectF(left + MARK + 2, 0, width + 1, whole.height()), whole, self.layoutDirection())
            painter.setPen(QColor(tokens.ink2))
            with running_as_written(painter):
                painter.drawText(room, Qt.AlignmentFlag.AlignCenter, words)
            left += MARK + width + GAP
