"""Stack: shares of a whole as bands of one bar, and the rows that name them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.statistics.chart import Chart, draw_words
from app.statistics.shares import Share
from app.statistics.tables import Table
from app.theme.fonts import font
from app.theme.theme import Theme
from app.theme.tokens import Tokens

BAR, ROW = 14, 29
SWATCH = 9
MOST_ROWS = 7


def draw_stack(painter: QPainter, tokens: Tokens, rect: QRectF, shares: Sequence[Share], whole: int) -> None:
    """Bands from the start on; each that is not empty is seen, a hairline apart from the next."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    outline = QPainterPath()
    outline.addRoundedRect(rect, 4, 4)
    painter.setClipPath(outline)
    painter.fillRect(rect, QColor(tokens.hover))
    left = rect.left()
    for share in shares:
        if share.tone and share.amount and whole:
            width = max(2.0, rect.width() * min(1.0, share.amount / whole))
            painter.fillRect(QRectF(left, rect.top(), width - 1, rect.height()), QColor(getattr(tokens, share.tone)))
            left += width
    painter.restore()


class ShareRows(Chart):
    """A bar of all shares above a row for each; `whole` is what the full bar stands for."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, name, parent)
        self._shares: tuple[Share, ...] = ()
        self._whole = 0
        self._has_bar = True

    def show_shares(
        self, shares: Sequence[Share], whole: int, words: str, header: tuple[str, str], *, has_bar: bool = True
    ) -> None:
        self._shares, self._whole, self._has_bar = tuple(shares[:MOST_ROWS]), whole, has_bar
        self.setMinimumHeight(self.sizeHint().height())
        self.describe(words, Table(header, tuple((share.name, share.value) for share in shares)))

    def sizeHint(self) -> QSize:
        bar = BAR + 8 if self._has_bar else 0
        return QSize(200, bar + ROW * max(1, len(self._shares)))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens, top = self.theme.tokens, 0.0
        if self._has_bar:
            painter.save()
            self.mirror(painter)
            draw_stack(painter, tokens, QRectF(0, 0, self.width(), BAR), self._shares, self._whole)
            painter.restore()
            top = BAR + 8.0
        for place, share in enumerate(self._shares):
            if place:
                painter.fillRect(QRectF(0, top, self.width(), 1), QColor(tokens.line))
            self._draw_row(painter, share, top)
            top += ROW
        self.draw_focus(painter)

    def _draw_row(self, painter: QPainter, share: Share, top: float) -> None:
        tokens, width = self.theme.tokens, float(self.width())
        baseline = top + ROW / 2 + QFontMetricsF(font("small")).capHeight() / 2
        start, end = (width, 0.0) if self.is_mirrored else (0.0, width)
        value_width = draw_words(
            painter, tokens.ink, "small-strong", share.value, QPointF(end, baseline), 1.0 - self.is_mirrored
        )
        inset = 0.0
        if share.tone and self._has_bar:
            inset = SWATCH + 8.0
            left = start - SWATCH if self.is_mirrored else start
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(getattr(tokens, share.tone)))
            painter.drawRoundedRect(QRectF(left, top + (ROW - SWATCH) / 2, SWATCH, SWATCH), 2, 2)
        room = width - inset - value_width - 12
        name = QFontMetricsF(font("small")).elidedText(share.name, Qt.TextElideMode.ElideRight, max(0.0, room))
        place = QPointF(start - inset if self.is_mirrored else start + inset, baseline)
        draw_words(painter, tokens.ink2, "small", name, place, float(self.is_mirrored))
