"""RereadList: prompts that were read again, with the cause of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QResizeEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.conversations.rereads import Reread
from app.figures import write_count, write_when
from app.statistics.chart import running_as_written
from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring
from app.theme.mirroring import mirrored
from app.theme.theme import Theme

SIDE, GAP, ABOVE, LINE = 16, 12, 9, 18
TIME, CHAT = 62, 190  # px at 100 %
NARROW = 560  # px at 100 %, below which the cause stands under the chat
NONE = "Nothing was read again in this time."
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Line:
    when: str
    chat: str
    cause: str


def lines_of(rereads: Sequence[Reread], titles: dict[str, str], now: float) -> list[Line]:
    return [
        Line(write_when(one.at, now), titles.get(one.conversation_id) or "A deleted chat", cause_of(one))
        for one in rereads
    ]


def cause_of(one: Reread) -> str:
    """ "6,332 tokens were read again: the chat’s text changed." -> "6,332 tokens. The chat’s text changed." """
    cause = one.reason.partition(": ")[2] or one.reason
    return f"{write_count(one.num_tokens, 'tokens')}. {cause[:1].upper()}{cause[1:]}"


class RereadList(QListView):
    """As high as its lines; each is one sentence for a screen reader."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.lines: list[Line] = []
        self.setModel(QStandardItemModel(self))
        self.setItemDelegate(LineDelegate(self))
        self.setAccessibleName("Read again, and why")
        self.setProperty("kind", "rows")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        theme.tokens_changed.connect(self._fit)

    def show_lines(self, lines: list[Line]) -> None:
        if lines == self.lines and self.model().rowCount():
            return
        self.lines = lines or [Line("", "", NONE)]
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        model.clear()
        for line in self.lines:
            item = QStandardItem(" · ".join(part for part in (line.when, line.chat, line.cause) if part))
            item.setEditable(False)
            model.appendRow(item)
        self._fit()

    @property
    def is_narrow(self) -> bool:
        return self.width() < scaled(NARROW)

    def place_of(self, line: Line, width: int) -> tuple[QRect, QRect, QRect]:
        """Of time, chat and cause in a row that begins at 0, 0."""
        top, height = scaled(ABOVE), scaled(LINE)
        inner = width - 2 * SIDE
        if not line.chat:
            return QRect(), QRect(), QRect(SIDE, top, inner, self._height_of(line.cause, inner))
        time = QRect(SIDE, top, scaled(TIME), height)
        left = time.right() + GAP
        if self.is_narrow:
            room = width - SIDE - left
            return (
                time,
                QRect(left, top, room, height),
                QRect(left, top + height, room, self._height_of(line.cause, room)),
            )
        chat = QRect(left, top, scaled(CHAT), height)
        room = width - SIDE - chat.right() - GAP
        return time, chat, QRect(chat.right() + GAP, top, room, self._height_of(line.cause, room))

    def _height_of(self, words: str, width: int) -> int:
        bounds = QRect(0, 0, max(40, width), 1000)
        return QFontMetrics(font("interface")).boundingRect(bounds, Qt.TextFlag.TextWordWrap, words).height() + 2

    def height_of(self, row: int) -> int:
        return self.place_of(self.lines[row], self.width())[2].bottom() + scaled(ABOVE)

    def _fit(self) -> None:
        self.setFixedHeight(max(scaled(36), sum(map(self.height_of, range(len(self.lines))))))
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()


class LineDelegate(QStyledItemDelegate):
    def __init__(self, view: RereadList) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(40, self._view.height_of(index.row()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view, tokens = self._view, self._view.theme.tokens
        whole, line = QRectF(option.rect), view.lines[index.row()]
        if index.row():
            painter.fillRect(QRectF(SIDE, whole.top(), whole.width() - 2 * SIDE, 1), QColor(tokens.line))
        is_mirrored = view.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if is_mirrored else Qt.AlignmentFlag.AlignLeft
        looks = (("interface", tokens.ink3), ("interface-medium", tokens.ink), ("interface", tokens.ink2))
        words = (line.when, line.chat, line.cause)
        for text, place, (use, colour) in zip(words, view.place_of(line, round(whole.width())), looks, strict=True):
            painter.setFont(font(use))
            painter.setPen(QColor(colour))
            room = mirrored(QRectF(place.translated(0, round(whole.top()))), whole, view.layoutDirection())
            shown = text
            if text is line.chat:
                shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, round(room.width()))
            with running_as_written(painter):
                painter.drawText(
                    room,
                    side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap,
                    shown,
                )
        if option.state & QStyle.StateFlag.State_HasFocus:
            draw_focus_ring(painter, tokens, whole.adjusted(2, 2, -2, -2), 7)
