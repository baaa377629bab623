"""Widgets that are painted here: a ring is for who comes with keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.statistics.memory import MemoryWatch
from app.statistics.memory_bar import MemoryBar
from app.statistics.segments import Segments
from app.theme.buttons import SymbolButton
from app.theme.theme import Theme
from app.theme.tokens import LIGHT
from tests.app.statistics.replies import Bridge


def make_segments(theme: Theme) -> QWidget:
    segments = Segments(theme, "Replies to show")
    segments.show_segments([("", "All replies"), ("ice", "Ice")])
    return segments


@pytest.mark.parametrize(
    "make",
    [
        make_segments,
        lambda theme: SymbolButton(theme, "edit", "New chat"),
        lambda theme: MemoryBar(theme, MemoryWatch(Bridge())),  # type: ignore[arg-type]
    ],
)
def test_keyboard_focus_has_a_ring_and_a_click_has_none(qtbot: QtBot, make: Callable[[Theme], QWidget]) -> None:
    theme = Theme()
    theme.apply(LIGHT)
    widget = make(theme)
    qtbot.addWidget(widget)
    widget.resize(200, 40)
    widget.show()
    plain = widget.grab().toImage()

    def drawn_after(kind: QEvent.Type, reason: Qt.FocusReason) -> bool:
        QApplication.sendEvent(widget, QFocusEvent(kind, reason))
        return widget.grab().toImage() != plain

    come, gone = QEvent.Type.FocusIn, QEvent.Type.FocusOut
    assert drawn_after(come, Qt.FocusReason.TabFocusReason)
    assert not drawn_after(gone, Qt.FocusReason.TabFocusReason)
    assert not drawn_after(come, Qt.FocusReason.MouseFocusReason)
