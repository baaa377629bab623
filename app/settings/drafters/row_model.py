"""RowModel: the rows of the drafters' table for Qt, as words for a screen reader too."""

from __future__ import annotations

from enum import IntEnum

from PySide6.QtCore import Qt

from app.keyed_rows import Index, KeyedRows
from app.settings.drafters.rows import Act, Kind, Row, spoken

REACHED = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class Role(IntEnum):
    ROW = Qt.ItemDataRole.UserRole + 1


class RowModel(KeyedRows[Row]):
    def flags(self, index: Index) -> Qt.ItemFlag:
        return REACHED if index.isValid() and self.rows[index.row()].is_reachable else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        match role:
            case Role.ROW:
                return row
            case Qt.ItemDataRole.DisplayRole:
                return row.words
            case Qt.ItemDataRole.AccessibleTextRole:
                return spoken(row)
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return described(row)
            case Qt.ItemDataRole.ToolTipRole:
                return told(row)
        return None


def described(row: Row) -> str:
    """What keys do there."""
    if row.kind is Kind.MISFIT:
        return "It cannot be chosen."
    if row.kind is not Kind.DRAFTER:
        return ""
    return f"Space chooses it; Right goes to {row.act.value}." if row.act is not Act.NONE else "Space chooses it."


def told(row: Row) -> str:
    """What a row has no room for."""
    candidate = row.candidate
    parts = (candidate.refusal, candidate.path) if candidate else ()
    return "\n".join(part for part in (*parts, row.error) if part)
