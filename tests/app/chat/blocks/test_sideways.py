"""Scrolling within a block that is wider than its column."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.chat.blocks.sideways import Sideways
from tests.app.chat.blocks.drawing import block_of


@pytest.mark.parametrize(("content", "most"), [(300.0, 0.0), (400.0 + 1e-13, 0.0), (400.6, 0.0), (450.0, 50.0)])
def test_what_rounding_adds_is_not_scrolled_to(content: float, most: float) -> None:
    sideways = Sideways()
    sideways.set_widths(content, 400.0)
    assert sideways.most == most
    assert sideways.scroll_by(20) == (most > 0)


def test_a_table_that_fits_has_no_bar_in_any_column(qapp: QApplication) -> None:
    table = block_of("| a | bb | ccc |\n|---|---|---|\n| one | two | three |")
    heights = {table.set_width(300 + width / 7) for width in range(200)}
    assert len(heights) == 1
