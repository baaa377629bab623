"""What is painted: labels that leave each other room, and rows in a window that runs from right to left."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPixmap
from pytestqt.qtbot import QtBot

from app.statistics.bars import PositionBars, label_stride
from app.statistics.chart import draw_words
from app.statistics.shares import Share, memory_shares
from app.statistics.stack import ROW, ShareRows
from app.statistics.tables import Position
from app.theme.fonts import font
from app.theme.theme import Theme
from engine.messages import MemoryReport


@pytest.mark.parametrize(("step", "stride"), [(60.0, 1), (20.0, 2), (9.0, 4), (0.0, 1)])
def test_labels_are_thinned_out_until_none_touches_the_next(qtbot: QtBot, step: float, stride: int) -> None:
    assert label_stride(["100", "8"], step) == stride
    if step:
        assert QFontMetricsF(font("small-strong")).horizontalAdvance("100") < step * stride


def test_bars_without_a_label_are_told_in_the_sentence(qtbot: QtBot, theme: Theme) -> None:
    bars = PositionBars(theme)
    qtbot.addWidget(bars)
    bars.resize(268, 126)
    bars.show_positions([Position(100, 100, 100 - 5 * place) for place in range(16)])
    assert bars.grab().width() == 268
    assert bars.sentence.count("%") == 16


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_name_and_value_of_a_row_stand_at_opposite_sides(
    qtbot: QtBot, theme: Theme, direction: Qt.LayoutDirection
) -> None:
    rows = ShareRows(theme, "Numbers")
    qtbot.addWidget(rows)
    rows.setLayoutDirection(direction)
    rows.resize(300, ROW)
    rows.show_shares((Share("First token", "0.42 s"),), "", ("What", "Value"))
    inked = inked_columns(rows)
    assert min(inked) < 4
    assert max(inked) > 295
    assert not [column for column in inked if 110 < column < 190]


def test_nothing_in_memory_has_no_unit(qtbot: QtBot) -> None:
    sizes = {share.name: share.value for share in memory_shares(MemoryReport(weight_bytes=5))}
    assert sizes["Drafter weights"] == "0"
    assert sizes["Model weights"] != "0"


def inked_columns(rows: ShareRows) -> list[int]:
    image = rows.grab().toImage()
    ground = image.pixel(150, 2)
    return [
        column
        for column in range(image.width())
        if any(image.pixel(column, line) != ground for line in range(image.height()))
    ]


def test_a_number_stays_before_its_unit_in_a_mirrored_window(qtbot: QtBot, theme: Theme) -> None:
    images = []
    for direction in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        picture = QPixmap(120, 30)
        picture.fill(Qt.GlobalColor.white)
        painter = QPainter(picture)
        painter.setLayoutDirection(direction)
        draw_words(painter, theme.tokens.ink, "small", "837\u00a0tok/s", QPointF(10, 20))
        assert painter.layoutDirection() == direction
        painter.end()
        images.append(picture.toImage())
    assert images[0] == images[1]
