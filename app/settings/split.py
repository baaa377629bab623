"""Split: two parts of a settings page, side by side where there is room, else the first above the second."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QBoxLayout, QWidget

from app.statistics.sizes import scaled

SPACE = 12


class Split(QWidget):
    """`narrow` is the width of the page in px at 100 %, below which the parts stand above each other."""

    def __init__(self, page: QWidget, narrow: int, placed: Callable[[bool], None]) -> None:
        """`placed` is told whether it is narrow, with every size and font of the page."""
        super().__init__()
        self._page = page
        self._narrow = narrow
        self._placed = placed
        self.parts = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self.parts.setContentsMargins(0, 0, 0, 0)
        self.parts.setSpacing(SPACE)
        page.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange):
            self.place()
        return super().eventFilter(watched, event)

    def place(self) -> None:
        is_narrow = self._page.width() < scaled(self._narrow)
        direction = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        self.parts.setDirection(direction)
        self._placed(is_narrow)
