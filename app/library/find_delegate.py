"""FindDelegate: paints the rows of Find more."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.library.card import draw_card_part
from app.library.find_rows import FindRow, Kind
from app.library.fit_bar import draw_verdict
from app.library.title_line import draw_name
from app.sidebar.delegate import draw_title
from app.statistics.chart import draw_beside, running_as_written
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.mirroring import mirrored
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme
from app.theme.tokens import Tokens

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = int(Qt.ItemDataRole.UserRole)
SIDE, PAD, LINE, TITLE = 16, 11, 17, 20
BUTTON_HEIGHT, BUTTON_PAD = 28, 12
SIZE_WIDTH, FIT_WIDTH = 96, 270  # px of the columns, at the text size of 100 %
WIDE = 700  # px of a row that has room for the columns
HEIGHTS = {Kind.CAPTION: 40, Kind.SENTENCE: 44, Kind.MORE: 48}


class FindDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row: FindRow = index.data(ROW_ROLE)
        if not row.is_model:
            return QSize(100, scaled(HEIGHTS[row.kind]))
        view = self.parent()
        assert isinstance(view, QListView)
        width = view.viewport().width()
        texts = texts_of(row, self._theme.tokens, is_wide=width >= scaled(WIDE))
        room = width - 3 * SIDE - self._widest_button()
        return QSize(100, round(2 * scaled(PAD) + scaled(TITLE) + sum(text.height(room) for text in texts)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: FindRow = index.data(ROW_ROLE)
        painter.save()
        painter.setLayoutDirection(option.direction)
        rect = QRectF(option.rect)
        if row.is_model:
            self._paint_model(painter, option, rect, row)
        elif row.kind is Kind.MORE:
            self._paint_button(painter, option, row, QRectF(self.button_place(option.rect, row, option.direction)))
        else:
            use, colour = ("interface", self._theme.tokens.ink2)
            place = rect.adjusted(SIDE, scaled(10) if row.kind is Kind.CAPTION else 0, -SIDE, 0)
            draw_title(painter, place, row.name, colour, use)
        painter.restore()

    def button_place(self, rect: QRect, row: FindRow, direction: Qt.LayoutDirection) -> QRect:
        """Where the row's button stands; as wide as its words, also where there is none."""
        words = button_words(row)
        width = round(QFontMetricsF(font("interface-medium")).horizontalAdvance(words)) + 2 * BUTTON_PAD
        height = scaled(BUTTON_HEIGHT)
        if row.kind is Kind.MORE:
            place = QRectF(rect.left(), rect.center().y() - height // 2, width, height)
        else:
            place = QRectF(rect.right() - SIDE - width, rect.center().y() - height // 2, width, height)
        return mirrored(place, QRectF(rect), direction).toRect()

    def _paint_model(self, painter: QPainter, option: QStyleOptionViewItem, rect: QRectF, row: FindRow) -> None:
        tokens, direction = self._theme.tokens, option.direction
        draw_card_part(painter, tokens, rect, is_first=row.is_first, is_last=row.is_last)
        if self._has_focus(option):
            draw_focus_ring(painter, tokens, rect.adjusted(2, 2, -2, -2), 8)
        button = QRectF(self.button_place(option.rect, row, Qt.LayoutDirection.LeftToRight))
        lines = QRectF(rect.left() + SIDE, rect.top() + scaled(PAD), 0, scaled(TITLE))
        lines.setRight(rect.right() - 2 * SIDE - self._widest_button())
        title = QRectF(lines)
        is_wide = rect.width() >= scaled(WIDE)
        if is_wide:
            title.setRight(self._paint_columns(painter, rect, row, lines))
        draw_name(painter, tokens, title, rect, (row.name, row.quantisation))
        self._paint_lines(painter, rect, lines, row, is_wide)
        if row.brings:
            self._paint_button(painter, option, row, mirrored(button, rect, direction))
        if row.state:
            self._paint_state(painter, rect, row, button)

    def _paint_lines(self, painter: QPainter, rect: QRectF, room: QRectF, row: FindRow, is_wide: bool) -> None:
        """Under the title, as far as the button."""
        tokens, direction = self._theme.tokens, painter.layoutDirection()
        is_mirrored = direction == Qt.LayoutDirection.RightToLeft
        top = room.bottom()
        for text in texts_of(row, tokens, is_wide=is_wide):
            height = text.height(room.width())
            place = QRectF(room.left() + text.indent, top, room.width() - text.indent, height)
            if text.symbol:
                symbol = QRectF(room.left(), round(top + scaled(LINE) / 2 - 7), 14, 14)
                draw_symbol(painter, text.symbol, text.colour, mirrored(symbol, rect, direction))
            place = mirrored(place, rect, direction)
            draw_beside(painter, text.colour, "small", text.words, place, is_at_right=is_mirrored, is_high=True)
            top += height

    def _paint_columns(self, painter: QPainter, rect: QRectF, row: FindRow, line: QRectF) -> float:
        """Size, bar and sentence at the end of the title's line; returns where they begin."""
        left = line.right() - scaled(FIT_WIDTH)
        if row.verdict.sentence:
            place = QRectF(left, line.top(), scaled(FIT_WIDTH), line.height())
            draw_verdict(painter, self._theme.tokens, rect, row.verdict, place)
        width = QFontMetricsF(font("interface")).horizontalAdvance(row.size) + 1
        size = QRectF(left - SIDE - width, line.top(), width, line.height())
        draw_title(painter, mirrored(size, rect, painter.layoutDirection()), row.size, self._theme.tokens.ink2)
        return left - 2 * SIDE - scaled(SIZE_WIDTH)

    def _paint_button(self, painter: QPainter, option: QStyleOptionViewItem, row: FindRow, place: QRectF) -> None:
        tokens = self._theme.tokens
        pointed = getattr(self.parent(), "pointed", None)
        is_warm = pointed is not None and place.contains(QPointF(pointed))
        draw_round(painter, place, 7, tokens.hover if is_warm else tokens.raised, tokens.line)
        painter.setFont(font("interface-medium"))
        painter.setPen(QColor(tokens.ink))
        with running_as_written(painter):
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, button_words(row))
        if row.kind is Kind.MORE and self._has_focus(option):
            draw_focus_ring(painter, tokens, place.adjusted(-3, -3, 3, 3), 9)

    def _paint_state(self, painter: QPainter, rect: QRectF, row: FindRow, button: QRectF) -> None:
        """That it is here in the button's place, or over it where there is still something to bring."""
        tokens = self._theme.tokens
        width = QFontMetricsF(font("small")).horizontalAdvance(row.state) + 1
        top = button.top() - scaled(LINE) - 2 if row.brings else button.center().y() - scaled(LINE) / 2
        place = QRectF(rect.right() - SIDE - width, top, width, scaled(LINE))
        draw_title(painter, mirrored(place, rect, painter.layoutDirection()), row.state, tokens.target, "small")

    def _widest_button(self) -> float:
        return QFontMetricsF(font("interface-medium")).horizontalAdvance("Download…") + 2 * BUTTON_PAD

    def _has_focus(self, option: QStyleOptionViewItem) -> bool:
        has_keys = getattr(self.parent(), "has_keyboard_focus", False)
        return has_keys and bool(option.state & QStyle.StateFlag.State_HasFocus)


@dataclass(frozen=True, slots=True)
class Text:
    """What stands under a row's title; it wraps where it has no room."""

    words: str
    colour: str
    symbol: str = ""

    @property
    def indent(self) -> int:
        return 20 if self.symbol else 0

    def height(self, width: float) -> float:
        metrics = QFontMetricsF(font("small"))
        room = QRectF(0, 0, max(60.0, width - self.indent), 10_000)
        wrapped = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, self.words).height()
        return max(1, round(wrapped / metrics.lineSpacing())) * metrics.lineSpacing() + scaled(LINE) - scaled(14)


def texts_of(row: FindRow, tokens: Tokens, *, is_wide: bool) -> list[Text]:
    """Size and verdict among them where there is no room for columns."""
    texts = [Text(line, tokens.ink2) for line in row.lines]
    if row.drafters:
        texts.append(Text(row.drafters, tokens.draft, "drafter"))
    beside = " · ".join(part for part in (row.size, row.verdict.sentence) if part)
    if not is_wide and beside:
        texts.insert(0, Text(beside, tokens.ink2 if row.verdict.is_fit else tokens.alert))
    return texts


def button_words(row: FindRow) -> str:
    """With an ellipsis where it asks which."""
    if row.kind is Kind.MORE:
        return row.name
    if row.kind is Kind.CATALOGUE and row.state:  # the model itself is here, or in the downloads
        return "Drafters…" if row.asks else "Drafter"
    return "Download…" if row.asks else "Download"
