"""PointerRow: the row of a list that the pointer is on."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QAbstractItemView


class PointerRow(QObject):
    """Makes a row the current one where the pointer is moved over it, not where it is scrolled under the pointer."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._place = QCursor.pos()
        view.setMouseTracking(True)
        view.entered.connect(self._enter)

    def _enter(self, index: QModelIndex) -> None:
        if (place := QCursor.pos()) != self._place:
            self._place = place
            self._view.setCurrentIndex(index)
