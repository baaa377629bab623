"""QuietScrollBar: a scroll bar that keeps its room and draws nothing while it is not needed."""

from __future__ import annotations

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QScrollBar


class QuietScrollBar(QScrollBar):
    """Shows nothing where there is nothing to scroll."""

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.maximum() > self.minimum():
            super().paintEvent(event)
