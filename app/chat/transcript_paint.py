"""What is painted behind and between the transcript's text: grounds, bullets, hairlines, strips, the live end."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QTextBlock, QTextCursor

from app.chat.strip import draw_progress, draw_strip, progress_words
from app.chat.transcript_document import MARGIN, USER_INSET, Section, TranscriptDocument
from app.chat.transcript_formats import CELL_PADDING, CODE_PADDING, INDENT, USER_PADDING, Mark, kind_of, owner_of
from app.theme.fonts import font
from app.theme.glyphs import draw_dot, draw_round
from app.theme.symbols import draw_symbol
from app.theme.tokens import Tokens

CODE_HEAD = 32
COPY_WIDTH = 72


class TranscriptPainter:
    """Paints one document; all rectangles are the document's, the painter is moved to it by the caller."""

    def __init__(self, content: TranscriptDocument, tokens: Tokens) -> None:
        self._content = content
        self.tokens = tokens
        self.model = ""
        self.copied_at = -1  # position of the code header, or of the strip, that was copied a moment ago

    def rect_of(self, block: QTextBlock) -> QRectF:
        """A block over the whole column, from the top of its first line to the bottom of its last."""
        top = self._content.document.documentLayout().blockBoundingRect(block).top()
        return QRectF(MARGIN, top, self._content.column, block.layout().boundingRect().bottom())

    def paint(self, painter: QPainter, first: QTextBlock, bottom: float) -> None:
        """Paint everything from `first` on down to `bottom`."""
        done_users: set[int] = set()
        block = first
        while block.isValid():
            rect = self.rect_of(block)
            if rect.top() > bottom + 400:
                break
            kind = kind_of(block)
            if kind == "user" and owner_of(block) not in done_users:
                done_users.add(owner_of(block))
                self._paint_user(painter, block)
            elif kind == "code-head" or (kind in ("code", "code-foot") and block == first):
                self._paint_code(painter, block)
            elif kind in ("cell", "cell-head"):
                self._paint_cell(painter, block)
            else:
                self._paint_line(painter, kind, block, rect)
            block = block.next()

    def _paint_line(self, painter: QPainter, kind: str, block: QTextBlock, rect: QRectF) -> None:
        section = self._section(block)
        if kind == "strip" and section and rect.height() > 1:
            self._paint_strip(painter, section, rect, block)
        elif kind == "reason":
            self._paint_reason(painter, block, rect)
        elif kind == "rule":
            painter.fillRect(QRectF(rect.left(), round(rect.top()), rect.width(), 1), QColor(self.tokens.line))
        if bullet := block.blockFormat().property(Mark.BULLET):
            self._paint_bullet(painter, str(bullet), block, rect)
        for index in range(int(block.blockFormat().property(Mark.QUOTES) or 0)):
            place = QRectF(rect.left() + 16 * index, rect.top(), 2, rect.height())
            painter.fillRect(place, QColor(self.tokens.line))

    def _paint_reason(self, painter: QPainter, block: QTextBlock, rect: QRectF) -> None:
        symbol = _symbol_of(block.text().lower())
        colour = self.tokens.draft if symbol == "drafter" else self.tokens.ink2
        middle = _baseline(block, rect) - QFontMetricsF(font("small")).capHeight() / 2
        draw_symbol(painter, symbol, colour, QRectF(rect.left(), round(middle - 7.5), 15, 15))

    def _section(self, block: QTextBlock) -> Section | None:
        number = owner_of(block)
        return self._content.sections[number - 1] if number else None

    def _paint_user(self, painter: QPainter, block: QTextBlock) -> None:
        first, last = _run_of(block, lambda other: kind_of(other) == "user" and owner_of(other) == owner_of(block))
        left = MARGIN + first.blockFormat().leftMargin() - USER_PADDING
        top = self.rect_of(first).top() - USER_INSET + 3  # a fixed line height puts the text low in its line
        ground = QRectF(left, top, MARGIN + self._content.column - left, self.rect_of(last).bottom() + USER_INSET - top)
        draw_round(painter, ground, 12, self.tokens.sunken)

    def _paint_code(self, painter: QPainter, block: QTextBlock) -> None:
        head = block
        while kind_of(head) in ("code", "code-foot"):
            head = head.previous()
        last = head
        while kind_of(last.next()) in ("code", "code-foot"):
            last = last.next()
        top = self.rect_of(head).top()
        left = MARGIN + head.blockFormat().leftMargin() - CODE_PADDING
        ground = QRectF(left, top, MARGIN + self._content.column - left, self.rect_of(last).bottom() - top)
        draw_round(painter, ground, 10, self.tokens.sunken, self.tokens.line)
        painter.fillRect(QRectF(left + 1, round(top) + CODE_HEAD, ground.width() - 2, 1), QColor(self.tokens.line))
        self._paint_copy(painter, QRectF(ground.right() - COPY_WIDTH, top, COPY_WIDTH, CODE_HEAD), head)

    def _paint_copy(self, painter: QPainter, rect: QRectF, head: QTextBlock) -> None:
        is_copied = self.copied_at == head.position()
        symbol = "check" if is_copied else "copy"
        words = "Copied" if is_copied else "Copy"
        painter.setFont(font("small"))
        painter.setPen(QColor(self.tokens.ink2))
        width = QFontMetricsF(font("small")).horizontalAdvance(words)
        left = rect.right() - 12 - width
        middle = round(rect.center().y())
        draw_symbol(painter, symbol, self.tokens.ink2, QRectF(round(left - 20), middle - 7, 15, 15))
        place = QRectF(left, rect.top(), width + 2, rect.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)

    def _paint_cell(self, painter: QPainter, block: QTextBlock) -> None:
        table = QTextCursor(block).currentTable()
        cell = table.cellAt(block.position())
        if cell.column() != 0:
            return
        line = QColor(self.tokens.line)
        if cell.row() > 0:
            top = round(self.rect_of(block).top() - CELL_PADDING)
            painter.fillRect(QRectF(MARGIN, top, self._content.column, 1), line)
        if cell.row() == table.rows() - 1:
            cells = (table.cellAt(cell.row(), column) for column in range(table.columns()))
            bottom = max(self.rect_of(one.lastCursorPosition().block()).bottom() for one in cells)
            painter.fillRect(QRectF(MARGIN, round(bottom + CELL_PADDING), self._content.column, 1), line)

    def _paint_bullet(self, painter: QPainter, bullet: str, block: QTextBlock, rect: QRectF) -> None:
        baseline = _baseline(block, rect)
        left = rect.left() + block.blockFormat().leftMargin()
        metrics = QFontMetricsF(font("reply"))
        if bullet == "•":
            draw_dot(painter, self.tokens.ink2, QPointF(left - INDENT + 9, baseline - metrics.xHeight() / 2), 2.25)
            return
        painter.setFont(font("reply"))
        painter.setPen(QColor(self.tokens.ink2))
        painter.drawText(QPointF(left - 6 - metrics.horizontalAdvance(bullet), baseline), bullet)

    def _paint_strip(self, painter: QPainter, section: Section, rect: QRectF, block: QTextBlock) -> None:
        if section.progress is not None:
            words = progress_words(section.progress, self.model)
            draw_progress(painter, self.tokens, rect, section.progress, words)
            return
        room = rect.adjusted(0, 0, -32, 0)  # for Copy, from the first token on: nothing goes when it comes
        draw_strip(painter, self.tokens, room, section.statistics, section.rounds)
        if not section.is_running and section.text:
            symbol = "check" if self.copied_at == block.position() else "copy"
            place = QRectF(rect.right() - 22, round(rect.center().y() - 8), 16, 16)
            draw_symbol(painter, symbol, self.tokens.ink2, place)

    def paint_live_end(self, painter: QPainter, section: Section, phase: float) -> None:
        """The caret at the live end, and the drafter's dot ahead of it."""
        assert section.live is not None
        cursor = QTextCursor(self._content.document)
        cursor.setPosition(section.live.end_position)
        if kind_of(cursor.block()) == "code-foot":
            cursor.movePosition(QTextCursor.MoveOperation.Left)
        block = cursor.block()
        line = block.layout().lineForTextPosition(cursor.positionInBlock())
        if not line.isValid():
            return
        x = float(line.cursorToX(cursor.positionInBlock())[0])  # type: ignore[index]  # typed as object
        origin = self._content.document.documentLayout().blockBoundingRect(block).topLeft()
        baseline = origin.y() + line.y() + line.ascent()
        left = round(origin.x() + x) + 2
        draw_round(painter, QRectF(left, round(baseline - 13), 3, 16), 1.5, self.tokens.target)
        if section.message.drafter not in ("", "none"):
            ahead = 1.5 * (1 - sin(2 * pi * (phase + 0.25))) if phase else 0.0
            draw_dot(painter, self.tokens.draft_fill, QPointF(left + 3 + 4 + 2.5 + ahead, baseline - 5), 2.5)


def _symbol_of(reason: str) -> str:
    """The subject of a reason: what was read again has a reason of its own, whatever that names."""
    if "read again" in reason or "prompt cache" in reason:
        return "cache"
    return "drafter" if "draft" in reason else "model"


def _baseline(block: QTextBlock, rect: QRectF) -> float:
    """Of a block's first line, in the document."""
    line = block.layout().lineAt(0)
    return rect.top() + line.y() + line.ascent() if line.isValid() else rect.bottom()


def _run_of(block: QTextBlock, belongs: Callable[[QTextBlock], bool]) -> tuple[QTextBlock, QTextBlock]:
    first = last = block
    while first.previous().isValid() and belongs(first.previous()):
        first = first.previous()
    while last.next().isValid() and belongs(last.next()):
        last = last.next()
    return first, last
