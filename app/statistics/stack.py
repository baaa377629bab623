"""Stack: shares of a whole as bands of one bar, and the rows that name them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QAccessible, QColor, QFontMetricsF, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.statistics.chart import Chart, draw_beside
from app.statistics.shares import Share
from app.statistics.sizes import scaled
from app.statistics.tables import Table
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.theme import Theme
from app.theme.tokens import Tokens

BAR, ROW, LINE = 14, 29, 15
SWATCH = 9


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
    """A bar above a row for each share; a name that finds no room goes on in a second line."""

    role = QAccessible.Role.Grouping

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, name, parent)
        self._rows: tuple[Share, ...] = ()
        self._bands: tuple[Share, ...] = ()
        self._whole = 0

    def show_shares(
        self,
        rows: Sequence[Share],
        words: str,
        header: tuple[str, str],
        *,
        bands: Sequence[Share] = (),
        whole: int = 0,
    ) -> None:
        """`whole` is what the full bar stands for; without one there is no bar."""
        self._rows, self._bands, self._whole = tuple(rows), tuple(bands), whole
        self.fit()
        self.describe(words, Table(header, tuple((share.name, share.value) for share in rows)))

    def fit(self) -> None:
        self.setMinimumHeight(self._top + sum(self._height_of(share) for share in self._rows))

    @property
    def _top(self) -> int:
        return BAR + 8 if self._whole else 0

    def _inset(self, share: Share) -> float:
        return SWATCH + 8.0 if share.tone and self._whole else 0.0

    def _room(self, share: Share) -> float:
        value = QFontMetricsF(font("small-strong")).horizontalAdvance(share.value)
        return max(60.0, self.width() - self._inset(share) - value - 12)

    def _height_of(self, share: Share) -> int:
        is_long = QFontMetricsF(font("small")).horizontalAdvance(share.name) > self._room(share)
        return scaled(ROW) + scaled(LINE) if is_long else scaled(ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens, top = self.theme.tokens, float(self._top)
        if self._whole:
            painter.save()
            self.mirror(painter)
            draw_stack(painter, tokens, QRectF(0, 0, self.width(), BAR), self._bands, self._whole)
            painter.restore()
        for place, share in enumerate(self._rows):
            if place:
                painter.fillRect(QRectF(0, top, self.width(), 1), QColor(tokens.line))
            height = self._height_of(share)
            self._draw_row(painter, share, QRectF(0, top, self.width(), height))
            top += height

    def _draw_row(self, painter: QPainter, share: Share, rect: QRectF) -> None:
        tokens = self.theme.tokens
        middle = rect.top() + scaled(ROW) / 2
        inset, room = self._inset(share), self._room(share)
        if inset:
            left = rect.right() - SWATCH if self.is_mirrored else 0.0
            swatch = QRectF(left, middle - SWATCH / 2, SWATCH, SWATCH)
            draw_round(painter, swatch, 2, getattr(tokens, share.tone))
        words = QRectF(inset, rect.top(), room, rect.height())
        value = QRectF(inset + room, rect.top(), rect.width() - inset - room, scaled(ROW))
        if self.is_mirrored:
            words.moveRight(rect.right() - inset)
            value.moveLeft(0)
        draw_beside(painter, tokens.ink2, "small", share.name, words, is_at_right=self.is_mirrored)
        draw_beside(painter, tokens.ink, "small-strong", share.value, value, is_at_right=not self.is_mirrored)
