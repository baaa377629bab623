"""Grip: the sidebar's inner edge, which drags its width."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

WIDTH, MIN_WIDTH, MAX_WIDTH = 256, 200, 360  # of the sidebar
THICKNESS = 5


class Grip(QWidget):
    width_asked = Signal(int)

    def __init__(self, sidebar: QWidget) -> None:
        super().__init__(sidebar)
        self._sidebar = sidebar
        self.setCursor(Qt.CursorShape.SizeHorCursor)

    def place(self, width: int, height: int) -> None:
        """At the end of a sidebar of this size, over all that lies there."""
        self.setGeometry(0 if self.isRightToLeft() else width - THICKNESS, 0, THICKNESS, height)
        self.raise_()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = round(self.mapToParent(event.position()).x())
        width = self._sidebar.width() - x if self.isRightToLeft() else x
        self.width_asked.emit(max(MIN_WIDTH, min(MAX_WIDTH, width)))
