"""NumberRow: big numbers side by side, each above what it is a number of."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QAccessible, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.statistics.chart import Chart, draw_beside, draw_words
from app.statistics.numbers import Number
from app.statistics.sizes import scaled
from app.statistics.tables import UNKNOWN, Table
from app.theme.fonts import font
from app.theme.theme import Theme

LEAST_COLUMN, ROW, VALUE, SPACE = 172, 74, 34, 12


class NumberRow(Chart):
    role = QAccessible.Role.Grouping

    def __init__(
        self, theme: Theme, name: str, parent: QWidget | None = None, *, least_column: int = LEAST_COLUMN
    ) -> None:
        super().__init__(theme, name, parent)
        self._least_column = least_column
        self._numbers: tuple[Number, ...] = ()
        self._num_columns = 1

    def show_numbers(self, numbers: Sequence[Number]) -> None:
        is_same_count = len(numbers) == len(self._numbers)
        self._numbers = tuple(numbers)
        if not is_same_count:
            self.fit()
        rows = tuple((one.caption, f"{one.value} {one.unit}".rstrip()) for one in numbers)
        self.describe(". ".join(one.text for one in numbers), Table(("What", "Value"), rows))

    def fit(self) -> None:
        count = max(1, len(self._numbers))
        fitting = max(1, min(count, self.width() // scaled(self._least_column)))
        num_rows = -(-count // fitting)
        self._num_columns = -(-count // num_rows)
        self.setFixedHeight(scaled(ROW) * num_rows)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        width = self.width() / self._num_columns
        for place, number in enumerate(self._numbers):
            row, column = divmod(place, self._num_columns)
            left = self.width() - (column + 1) * width + SPACE if self.is_mirrored else column * width
            self._draw(painter, number, QRectF(left, row * scaled(ROW), width - SPACE, scaled(ROW)))

    def _draw(self, painter: QPainter, number: Number, rect: QRectF) -> None:
        tokens = self.theme.tokens
        tone = tokens.ink3 if number.value == UNKNOWN else getattr(tokens, number.tone)
        value = QFontMetricsF(font("big-number")).horizontalAdvance(number.value)
        unit = QFontMetricsF(font("interface-medium")).horizontalAdvance(number.unit) + 3 if number.unit else 0.0
        left = rect.right() - value - unit if self.is_mirrored else rect.left()
        baseline = rect.top() + scaled(VALUE) - 6
        draw_words(painter, tone, "big-number", number.value, QPointF(left, baseline))
        if number.unit:
            draw_words(painter, tone, "interface-medium", number.unit, QPointF(left + value + 3, baseline))
        caption = rect.adjusted(0, scaled(VALUE) + 2, 0, 0)
        draw_beside(painter, tokens.ink2, "small", number.caption, caption, is_at_right=self.is_mirrored, is_high=True)
