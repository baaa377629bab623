"""ModelDelegate: paints the rows of the models on this computer."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.library.card import draw_card_part
from app.library.fit_bar import draw_verdict
from app.library.model_rows import ModelRow
from app.library.title_line import draw_at_end, draw_name
from app.sidebar.delegate import draw_title
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring
from app.theme.mirroring import mirrored
from app.theme.theme import Theme

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = int(Qt.ItemDataRole.UserRole)
SIDE, PAD, TITLE, LINE, CAPTION = 16, 9, 20, 18, 38
FIT_WIDTH = 178  # px of the bar and its sentence, at the text size of 100 %
WIDE = 560  # px of a row that has room for them beside the name


class ModelDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row: ModelRow = index.data(ROW_ROLE)
        if row.model is None:
            return QSize(100, scaled(CAPTION))
        view = self.parent()
        assert isinstance(view, QListView)
        third = view.viewport().width() < scaled(WIDE) and bool(row.size or row.verdict.sentence)
        return QSize(100, scaled(2 * PAD + TITLE + (2 if third else 1) * LINE))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: ModelRow = index.data(ROW_ROLE)
        painter.save()
        painter.setLayoutDirection(option.direction)
        rect = QRectF(option.rect)
        if row.model is None:
            room = rect.adjusted(SIDE, scaled(6), -SIDE, 0)
            taken = draw_at_end(painter, room, row.size, self._theme.tokens.ink2, "small")
            room.setRight(room.right() - taken)
            draw_title(painter, mirrored(room, rect, option.direction), row.name, self._theme.tokens.ink2)
        else:
            self._paint_model(painter, option, rect, row)
        painter.restore()

    def _paint_model(self, painter: QPainter, option: QStyleOptionViewItem, rect: QRectF, row: ModelRow) -> None:
        assert row.model is not None
        tokens = self._theme.tokens
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        draw_card_part(painter, tokens, rect, is_first=row.is_first, is_last=row.is_last, is_chosen=is_chosen)
        if getattr(self.parent(), "has_keyboard_focus", False) and option.state & QStyle.StateFlag.State_HasFocus:
            draw_focus_ring(painter, tokens, rect.adjusted(2, 2, -2, -2), 8)
        room = rect.adjusted(SIDE, 0, -SIDE, 0)
        if rect.width() >= scaled(WIDE):
            room.setRight(self._paint_columns(painter, rect, row, is_chosen=is_chosen))
        title = QRectF(room.left(), rect.top() + scaled(PAD), room.width(), scaled(TITLE))
        draw_name(painter, tokens, title, rect, (row.name, row.quantisation), is_usable=not row.model.refusal)
        line = QRectF(room.left(), title.bottom(), room.width(), scaled(LINE))
        draw_title(painter, mirrored(line, rect, option.direction), row.line, tokens.ink2, "small")
        if rect.width() < scaled(WIDE):
            line.translate(0, scaled(LINE))
            self._paint_third(painter, rect, row, line)

    def _paint_columns(self, painter: QPainter, rect: QRectF, row: ModelRow, *, is_chosen: bool) -> float:
        """Size, bar and sentence in the middle of the row's end; returns where they begin."""
        tokens, direction = self._theme.tokens, painter.layoutDirection()
        left = rect.right() - SIDE - scaled(FIT_WIDTH)
        if row.verdict.sentence:
            place = QRectF(left, rect.top(), scaled(FIT_WIDTH), rect.height())
            draw_verdict(painter, tokens, rect, row.verdict, place, is_chosen=is_chosen)
        width = QFontMetricsF(font("interface")).horizontalAdvance(row.size) + 1
        size = QRectF(left - SIDE - width, rect.top(), width, rect.height())
        draw_title(painter, mirrored(size, rect, direction), row.size, tokens.ink2)
        return left - 2 * SIDE - max(width, scaled(56))

    def _paint_third(self, painter: QPainter, rect: QRectF, row: ModelRow, place: QRectF) -> None:
        """The same in words under the others, where there is no room beside them."""
        tokens, direction = self._theme.tokens, painter.layoutDirection()
        words = " · ".join(part for part in (row.size, row.verdict.sentence) if part)
        colour = tokens.ink2 if row.verdict.is_fit else tokens.alert
        draw_title(painter, mirrored(place, rect, direction), words, colour, "small")
