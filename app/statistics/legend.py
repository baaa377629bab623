"""Legend: what the colours of a chart stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.statistics.chart import draw_words
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.theme import Theme

SWATCH, DASH, SPACE, GAP, LINE = 9, 16, 7, 14, 18


@dataclass(frozen=True, slots=True)
class Entry:
    tone: str
    words: str
    is_dashed: bool = False


class Legend(QWidget):
    """Entries in a row; those that find no room go to the next line."""

    def __init__(self, theme: Theme, entries: Sequence[Entry] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries = tuple(entries)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.tokens_changed.connect(self.updateGeometry)
        theme.tokens_changed.connect(self.update)

    def show_entries(self, entries: Sequence[Entry]) -> None:
        if tuple(entries) != self._entries:
            self._entries = tuple(entries)
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(sum(map(_width_of, self._entries)) + GAP * (len(self._entries) - 1)) + 2, scaled(LINE))

    def minimumSizeHint(self) -> QSize:
        return QSize(round(max(map(_width_of, self._entries), default=0)), scaled(LINE))

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return scaled(LINE) * (1 + (places[-1][1] if places else 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = self._theme.tokens
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        for entry, (left, line) in zip(self._entries, self._places(self.width()), strict=True):
            middle = line * scaled(LINE) + scaled(LINE) / 2
            mark = DASH if entry.is_dashed else SWATCH
            x = self.width() - left - mark if is_mirrored else left
            if entry.is_dashed:
                pen = QPen(QColor(getattr(tokens, entry.tone)), 1.2)
                pen.setDashPattern([3.0, 2.5])
                painter.setPen(pen)
                painter.drawLine(QPointF(x, middle), QPointF(x + mark, middle))
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(getattr(tokens, entry.tone)))
                painter.drawRoundedRect(QRectF(x, middle - SWATCH / 2, SWATCH, SWATCH), 2, 2)
            start = QPointF(x - SPACE if is_mirrored else x + mark + SPACE, middle + scaled(4))
            draw_words(painter, tokens.ink2, "small", entry.words, start, float(is_mirrored))

    def _places(self, width: int) -> list[tuple[float, int]]:
        """The start and the line of each entry."""
        places: list[tuple[float, int]] = []
        left, line = 0.0, 0
        for entry in self._entries:
            if left and left + _width_of(entry) > width:
                left, line = 0.0, line + 1
            places.append((left, line))
            left += _width_of(entry) + GAP
        return places


def _width_of(entry: Entry) -> float:
    mark = DASH if entry.is_dashed else SWATCH
    return mark + SPACE + QFontMetricsF(font("small")).horizontalAdvance(entry.words)
