"""The segments: where they have no room they are scrolled by arrows of the theme's own drawing."""

from __future__ import annotations

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.statistics.segments import Segments
from app.theme.theme import Theme


def test_arrows_have_the_colours_of_the_theme_and_point_both_ways(qtbot: QtBot, theme: Theme) -> None:
    segments = Segments(theme, "Replies to show")
    qtbot.addWidget(segments)
    segments.show_segments([(str(number), f"A chat with a long title {number}") for number in range(9)])
    segments.resize(300, segments.height())
    segments.show()
    segments.setCurrentIndex(4)
    left, right = (button.grab().toImage() for button in segments.findChildren(QToolButton) if button.isVisible())
    assert left.pixelColor(0, 0) == right.pixelColor(0, 0) == QColor(theme.tokens.canvas)
    assert left != right
