"""What is as wide as its words is so at every size of text, whenever that is chosen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget

from app.chat.transcript.controls import BranchLabel
from app.chat.transcript.end_button import EndButton
from app.tabs.bar import MoreButton
from app.theme.fonts import font
from app.theme.theme import Theme
from app.theme.tokens import LIGHT


@pytest.fixture
def theme(qapp) -> Iterator[Theme]:
    made = Theme()
    made.apply(LIGHT)
    yield made
    made.set_text_size(100)


def branch_label(theme, parent):
    label = BranchLabel(theme, parent)
    label.set_words("12 of 34")
    return label, "small", "12 of 34"


def end_button(theme, parent):
    button = EndButton(theme, parent)
    button.set_lines(1234)
    return button, "small", "1,234"


def more_button(theme, parent):
    button = MoreButton(theme, parent)
    button.set_words("9 more")
    return button, "interface", "9 more"


@pytest.mark.parametrize("make", [branch_label, end_button, more_button])
def test_width_follows_the_size_of_text(qtbot, theme, make):
    parent = QWidget()
    qtbot.addWidget(parent)
    widget, use, words = make(theme, parent)
    plain = widget.width()
    theme.set_text_size(150)
    needed = QFontMetricsF(font(use)).horizontalAdvance(words)
    assert widget.width() >= max(needed, plain + 1)
    theme.set_text_size(100)
    assert widget.width() == plain
