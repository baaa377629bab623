"""What a popover offers: its rows, and their model for the list that shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()


@dataclass(frozen=True, slots=True)
class PopoverRow:
    """`quiet` stands beside the words, `at_end` at the end side in the colour of the token `tone`."""

    words: str
    choose: Callable[[], object] | None = field(default=None, compare=False)
    quiet: str = ""
    at_end: str = ""
    tone: str = "ink3"
    is_chosen: bool = False
    has_more: bool = False  # it opens a menu beside the popover, which stays
    reason: str = ""  # why it cannot be chosen, a sentence
    is_note: bool = False  # it only tells something
    stays: bool = False  # the popover, when this is chosen
    act: Callable[[], object] | None = field(default=None, compare=False)  # what the words at the end side do

    @property
    def is_line(self) -> bool:
        return not self.words

    @property
    def can_be_chosen(self) -> bool:
        return self.choose is not None and not self.reason

    @property
    def spoken(self) -> str:
        return ", ".join(part for part in (self.words, self.quiet, self.at_end) if part)


LINE = PopoverRow("")


class PopoverModel(QAbstractListModel):
    """Misfits can be reached, so that their reason is read; lines and notes cannot."""

    def __init__(self, rows: Sequence[PopoverRow], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows = tuple(rows)

    def set_rows(self, rows: Sequence[PopoverRow]) -> None:
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.rows[index.row()]
        if row.is_line or row.is_note:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.words
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{row.spoken}, chosen" if row.is_chosen else row.spoken
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return row.reason
        return None
