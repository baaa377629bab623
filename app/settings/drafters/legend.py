"""Legend: what dot, ring and tick of the axes stand for, on as many lines as that takes."""

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

MARK, GAP, LINE = 16, 16, 20  # px: from a mark to its words, from words to the next mark; a line's height at 100 %


class Legend(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: tuple[tuple[str, str], ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
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
        """All marks on one line."""
        return QSize(round(sum(self._width_of(words) for _, words in self._parts)), scaled(LINE))

    def minimumSizeHint(self) -> QSize:
        widest = max((self._width_of(words) for _, words in self._parts), default=0.0)
        return QSize(round(widest), scaled(LINE))

    def heightForWidth(self, width: int) -> int:
        return max(1, len(self.lines(width))) * scaled(LINE)

    def _width_of(self, words: str) -> float:
        return MARK + QFontMetricsF(font("small")).horizontalAdvance(words) + GAP

    def lines(self, width: float) -> list[list[tuple[str, str]]]:
        """The marks with their words, as many on a line as have room."""
        lines: list[list[tuple[str, str]]] = []
        room = 0.0
        for part in self._parts:
            needed = self._width_of(part[1])
            if not lines or room < needed - GAP:
                lines.append([])
                room = width
            lines[-1].append(part)
            room -= needed
        return lines

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(font("small"))
        for place, line in enumerate(self.lines(self.width())):
            left = 0.0
            for mark, words in line:
                self._paint_part(
                    painter, QRectF(left, place * scaled(LINE), self._width_of(words), scaled(LINE)), mark, words
                )
                left += self._width_of(words)

    def _paint_part(self, painter: QPainter, part: QRectF, mark: str, words: str) -> None:
        tokens, whole, way = self._theme.tokens, QRectF(self.rect()), self.layoutDirection()
        left, top, height = part.left(), part.top(), part.height()
        centre = QPointF(
            mirrored(QRectF(left, top, MARK, height), whole, way).center().x(), round(top + height / 2) + 0.5
        )
        if mark == "dot":
            draw_dot(painter, tokens.draft_fill, centre, 4.5)
        elif mark == "ring":
            draw_ring(painter, tokens.canvas, tokens.draft_fill, centre)
        else:
            painter.setPen(QPen(QColor(tokens.edge), 1.0))
            painter.drawLine(centre + QPointF(0, -6), centre + QPointF(0, 6))
        room = mirrored(QRectF(left + MARK + 2, top, part.width() - MARK - GAP + 1, height), whole, way)
        painter.setPen(QColor(tokens.ink2))
        with running_as_written(painter):
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, words)
