"""KeyedRows: rows of a list for Qt, each with a key by which it is the same row as before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex

Index = QModelIndex | QPersistentModelIndex


class Keyed(Protocol):
    @property
    def key(self) -> Any: ...


Row = TypeVar("Row", bound=Keyed)


class KeyedRows(QAbstractListModel, Generic[Row]):
    """Rows with the keys that were there change in place, so that what is chosen and has the keyboard stays."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[Row, ...] = ()

    def show(self, rows: Sequence[Row]) -> None:
        new, before = tuple(rows), self.rows
        if [row.key for row in new] != [row.key for row in before]:
            self.beginResetModel()
            self.rows = new
            self.endResetModel()
            return
        self.rows = new
        for place, (row, old) in enumerate(zip(new, before, strict=True)):
            if row != old:
                self.dataChanged.emit(self.index(place), self.index(place))

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)
