"""The palette's rows: their model, and the delegate that paints them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTextCharFormat
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.palette.entries import Found
from app.sidebar.delegate import draw_title
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.marked_line import draw_marked_line
from app.theme.mirroring import mirrored
from app.theme.theme import Theme

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
FOUND_ROLE = Qt.ItemDataRole.UserRole
ROW, PAD, GAP = 32, 12.0, 10.0  # px at 100 %; the field's text begins PAD behind the rows' edge too


class PaletteModel(QAbstractListModel):
    """What is not enabled can be reached, so that it is read why."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: tuple[Found, ...] = ()

    def show(self, found: Sequence[Found]) -> None:
        self.beginResetModel()
        self.found = tuple(found)
        self.endResetModel()

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.found)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        found = self.found[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return found.entry.words
            case Qt.ItemDataRole.AccessibleTextRole:
                return found.spoken if found.entry.is_enabled else f"{found.spoken}, not available now"
            case Qt.ItemDataRole.AccessibleDescriptionRole | Qt.ItemDataRole.ToolTipRole:
                return found.entry.reason
        return found if role == FOUND_ROLE else None


class PaletteDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, scaled(ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        found, place, tokens = index.data(FOUND_ROLE), QRectF(option.rect), self._theme.tokens
        assert isinstance(found, Found)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            draw_round(painter, place, 7, tokens.target_soft)
        entry = found.entry
        ends = [part for part in (entry.kind, entry.at_end) if part]
        right = self._write_end(painter, place, "   ".join(ends))
        limit = right - GAP if ends else right
        left = self._write_words(painter, place, limit, found)
        if (detail := entry.detail()) and left + GAP < limit:
            room = QRectF(left + GAP, place.top(), limit - left - GAP, place.height())
            self._write_quietly(painter, mirrored(room, place, painter.layoutDirection()), detail)
        painter.restore()

    def _write_words(self, painter: QPainter, place: QRectF, limit: float, found: Found) -> float:
        """Returns where they end."""
        made, colour = font("interface"), self._theme.tokens.ink if found.entry.is_enabled else self._theme.tokens.ink3
        strong = QFont(made)
        strong.setWeight(QFont.Weight.DemiBold)
        mark = QTextCharFormat()
        mark.setFontWeight(QFont.Weight.DemiBold)
        metrics = QFontMetricsF(strong if found.spans else made)
        left = place.left() + PAD
        shown = metrics.elidedText(found.entry.words, Qt.TextElideMode.ElideRight, max(0.0, limit - left))
        spans = [(start, min(end, len(shown))) for start, end in found.spans if start < len(shown)]
        width = min(metrics.horizontalAdvance(shown) + 1, limit - left)
        room = mirrored(QRectF(left, place.top(), width, place.height()), place, painter.layoutDirection())
        return left + draw_marked_line(painter, room, shown, spans, mark, made=made, colour=colour)

    def _write_end(self, painter: QPainter, place: QRectF, words: str) -> float:
        """Returns where they begin."""
        width = QFontMetricsF(font("interface")).horizontalAdvance(words) + 1 if words else 0.0
        left = place.right() - PAD - width
        room = QRectF(left, place.top(), width, place.height())
        self._write_quietly(painter, mirrored(room, place, painter.layoutDirection()), words)
        return left

    def _write_quietly(self, painter: QPainter, room: QRectF, words: str) -> None:
        draw_title(painter, room, words, self._theme.tokens.ink3)
