"""CacheBands: how much of a budget is used, one band a chat, and the state of drafters in their own colour."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QProgressBar, QWidget

from app.theme.mirroring import mirrored
from app.theme.theme import Theme

HEIGHT, STEPS, GAP = 17, 1000, 1
MOST_BANDS = 12  # of chats; those of the smallest stand together
LEAST_BAND = 3.0  # px
PALEST = 0.62  # of the way from petrol to the ground


class CacheBands(QProgressBar):
    """A progress bar, so that a screen reader says how full it is."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._bands: tuple[int, ...] = ()  # bytes, the largest first
        self._drafter_bytes = 0
        self._whole = 0
        self.setRange(0, STEPS)
        self.setTextVisible(False)
        self.setFixedHeight(HEIGHT)
        theme.tokens_changed.connect(self.update)

    def show_bands(self, sizes: Sequence[int], used: int, drafter_bytes: int, budget: int, words: str) -> None:
        """`sizes` are of chats; what these share counts once, so together they fill what is used. `words` are said."""
        chats, known = max(0, used - drafter_bytes), max(1, sum(sizes))
        whole = sorted((round(size * min(1.0, chats / known)) for size in sizes if size), reverse=True)
        rest = sum(whole[MOST_BANDS:]) + max(0, chats - sum(whole))
        self._bands = (*whole[:MOST_BANDS], *([rest] if rest else []))
        self._drafter_bytes, self._whole = drafter_bytes, max(budget, used)
        self.setValue(min(STEPS, round(STEPS * used / self._whole)) if self._whole else 0)
        self.setAccessibleName(words)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, rect, tokens = QPainter(self), QRectF(self.rect()), self._theme.tokens
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        outline = QPainterPath()
        outline.addRoundedRect(rect, 4, 4)
        painter.setClipPath(outline)
        painter.fillRect(rect, QColor(tokens.hover))
        left = rect.left()
        for place, size in enumerate(self._bands):
            left = self._paint_band(painter, rect, left, size, self._shade(place))
        if self._drafter_bytes:
            self._paint_band(painter, rect, left, self._drafter_bytes, QColor(tokens.draft_fill))

    def _paint_band(self, painter: QPainter, rect: QRectF, left: float, size: int, colour: QColor) -> float:
        """Where the next one begins."""
        width = max(LEAST_BAND, rect.width() * size / max(1, self._whole))
        band = QRectF(left, rect.top(), width - GAP, rect.height())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(mirrored(band, rect, self.layoutDirection()), colour)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        return left + width

    def _shade(self, place: int) -> QColor:
        """Each band a little paler than the one before it."""
        target, ground = QColor(self._theme.tokens.target), QColor(self._theme.tokens.hover)
        share = PALEST * min(1.0, place / 7)
        return QColor.fromRgbF(
            target.redF() + (ground.redF() - target.redF()) * share,
            target.greenF() + (ground.greenF() - target.greenF()) * share,
            target.blueF() + (ground.blueF() - target.blueF()) * share,
        )


class Square(QWidget):
    """The colour of drafter state, beside its words."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setFixedSize(11, 11)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme.tokens_changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("draft_fill"))
        painter.drawRoundedRect(QRectF(self.rect()), 3, 3)
