"""ConversationDelegate: paints every row of the sidebar's list, and edits titles in place."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QObject, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.sidebar.list_model import Index, Role
from app.sidebar.rows import Kind, Row
from app.theme.fonts import font
from app.theme.glyphs import GLYPH_WIDTH, draw_dot, draw_focus_ring, draw_round, draw_running
from app.theme.mirroring import mirrored
from app.theme.pulse import Pulse
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

ROW_HEIGHT, INSET = 30, 10
CAPTION_DROP = 4  # px that a caption stands nearer to the rows below it than to those above
SYMBOL = 14
GAP = 8  # px between the states at a row's end


class ConversationDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, pulse: Pulse, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pulse = pulse

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(Role.ROW)
        ground = QRectF(QRect(option.rect).adjusted(INSET, 0, -INSET, 0))
        is_chosen = self._is_chosen(option.state, row.kind)
        self._paint_ground(painter, ground, option.state, index, row.kind, is_chosen)
        if row.kind is Kind.CHAT:
            end = self._paint_states(painter, ground, row, index.data(Role.MARK), is_chosen)
            text = ground.adjusted(10, 0, end - ground.right() - GAP, 0)
            place = mirrored(text, ground, painter.layoutDirection())
            draw_title(painter, place, row.text, self._theme.tokens.ink)
        else:
            self._paint_caption(painter, ground, row)

    def _paint_ground(
        self, painter: QPainter, ground: QRectF, state: QStyle.StateFlag, index: Index, kind: Kind, is_chosen: bool
    ) -> None:
        tokens = self._theme.tokens
        if index.data(Role.IS_CURRENT):
            draw_round(painter, ground, 7, tokens.target_soft)
        elif is_chosen or (kind is not Kind.CAPTION and state & QStyle.StateFlag.State_MouseOver):
            draw_round(painter, ground, 7, tokens.hover)
        if state & QStyle.StateFlag.State_HasFocus or self._is_target(index):
            draw_focus_ring(painter, tokens, ground, 7)

    def _is_chosen(self, state: QStyle.StateFlag, kind: Kind) -> bool:
        """Whether it is one of several chats that are chosen; one alone has only the keyboard's ring."""
        is_choosing = getattr(self.parent(), "is_choosing", False)
        return kind is Kind.CHAT and is_choosing and bool(state & QStyle.StateFlag.State_Selected)

    def _is_target(self, index: Index) -> bool:
        """Whether a chat that is dragged would come to this folder."""
        row: Row = index.data(Role.ROW)
        return row.kind is Kind.FOLDER and row.text == getattr(self.parent(), "target", None)

    def _paint_caption(self, painter: QPainter, ground: QRectF, row: Row) -> None:
        tokens = self._theme.tokens
        metrics = QFontMetricsF(font("caption"))
        room = ground.adjusted(10, CAPTION_DROP, -10 - SYMBOL - GAP, CAPTION_DROP)
        room = mirrored(room, ground, painter.layoutDirection())
        painter.setFont(font("caption"))
        painter.setPen(QColor(tokens.ink3))
        words = f"{row.text}  {row.num_chats}" if row.is_folded else row.text
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        if row.kind is Kind.FOLDER:
            name = "chevron-right" if row.is_folded else "chevron-down"
            place = self._symbol_place(ground, ground.right() - 10, CAPTION_DROP)
            draw_symbol(painter, name, tokens.ink3, mirrored(place, ground, painter.layoutDirection()))

    def _paint_states(self, painter: QPainter, ground: QRectF, row: Row, mark: str, is_chosen: bool) -> float:
        """Branches, pin, mark and the check of a choice, from the end on; returns where the first of them begins."""
        tokens = self._theme.tokens
        end, middle = ground.right() - 10, ground.center().y()
        direction = painter.layoutDirection()
        if is_chosen:
            draw_symbol(painter, "check", tokens.target, mirrored(self._symbol_place(ground, end), ground, direction))
            end -= SYMBOL + GAP
        if mark == "running":
            glyph = mirrored(QRectF(end - GLYPH_WIDTH, middle, GLYPH_WIDTH, 1), ground, direction)
            draw_running(painter, tokens, glyph.left(), middle, self._pulse.phase)
            end -= GLYPH_WIDTH + GAP
        elif mark == "failed":
            draw_symbol(painter, "warning", tokens.alert, mirrored(self._symbol_place(ground, end), ground, direction))
            end -= SYMBOL + GAP
        elif mark:
            dot = mirrored(QRectF(end - 8, middle, 8, 1), ground, direction)
            draw_dot(painter, tokens.target, QPointF(dot.center().x(), middle))
            end -= 8 + GAP
        conversation = row.conversation
        if conversation is not None and conversation.is_pinned:
            draw_symbol(painter, "pin", tokens.ink2, mirrored(self._symbol_place(ground, end), ground, direction))
            end -= SYMBOL + GAP
        if conversation is not None and conversation.num_branches > 1:
            end = self._paint_branches(painter, ground, end, conversation.num_branches)
        return end + GAP

    def _paint_branches(self, painter: QPainter, ground: QRectF, end: float, count: int) -> float:
        tokens = self._theme.tokens
        metrics = QFontMetricsF(font("small"))
        width = metrics.horizontalAdvance(f"{count}")
        painter.setFont(font("small"))
        painter.setPen(QColor(tokens.ink2))
        direction = painter.layoutDirection()
        number = mirrored(QRectF(end - width, ground.top(), width, ground.height()), ground, direction)
        painter.drawText(QPointF(number.left(), number.center().y() + metrics.capHeight() / 2), f"{count}")
        symbol = mirrored(self._symbol_place(ground, end - width - 4), ground, direction)
        draw_symbol(painter, "branch", tokens.ink2, symbol)
        return end - width - 4 - SYMBOL - GAP

    def _symbol_place(self, ground: QRectF, end: float, drop: float = 0) -> QRectF:
        top = ground.center().y() + drop - SYMBOL / 2
        return QRectF(round(end - SYMBOL), round(top), SYMBOL, SYMBOL)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        is_folder = index.data(Role.ROW).kind is Kind.FOLDER
        editor.setAccessibleName("Name of this folder" if is_folder else "Title of this chat")
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        editor.setText(str(index.data(Qt.ItemDataRole.EditRole)))
        editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        model.setData(index, editor.text())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(QRect(option.rect).adjusted(INSET, 1, -INSET, -1))


def draw_title(painter: QPainter, room: QRectF, title: str, colour: str, font_name: str = "interface") -> None:
    """One line, cut with an ellipsis; titles share the edge at the layout's start, whatever their direction."""
    metrics = QFontMetricsF(font(font_name))
    shown = metrics.elidedText(title, Qt.TextElideMode.ElideRight, max(0.0, room.width()))
    painter.setFont(font(font_name))
    painter.setPen(QColor(colour))
    is_mirrored = painter.layoutDirection() == Qt.LayoutDirection.RightToLeft
    left = room.right() - metrics.horizontalAdvance(shown) if is_mirrored else room.left()
    direction = painter.layoutDirection()
    painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)  # that of the first strong letter
    painter.drawText(QPointF(left, room.center().y() + metrics.capHeight() / 2), shown)
    painter.setLayoutDirection(direction)
