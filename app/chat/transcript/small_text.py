"""SmallText: plain lines as a block, such as the numbers under a strip."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QPainter,
    QPalette,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)

from app.chat.blocks.block import BlockPaint
from app.chat.transcript import measures
from app.theme.fonts import font

_FIXED = QTextBlockFormat.LineHeightTypes.FixedHeight.value


class SmallText:
    """A `Block` of plain lines."""

    def __init__(self, text: str) -> None:
        self.gap = 0
        self.joint = "\n\n"
        self.source_start = 0
        self._text = text
        self._width = 0.0
        self._height = 0.0
        self._document: QTextDocument | None = None

    def take(self, text: str) -> None:
        """Say something else."""
        if text == self._text:
            return
        was_laid_out, self._document = self.is_laid_out, None
        self._text, self._height = text, 0.0
        if was_laid_out:
            self.set_width(self._width)

    @property
    def is_hidden(self) -> bool:
        return False

    @property
    def length(self) -> int:
        return len(self._text.encode("utf-16-le", "surrogatepass")) // 2

    @property
    def is_laid_out(self) -> bool:
        return self._document is not None

    def estimate(self, width: float) -> float:
        is_known = self._height and width == self._width
        return self._height if is_known else (self._text.count("\n") + 1) * float(measures.LINE)

    def set_width(self, width: float) -> float:
        if self._document is None or width != self._width:
            self._document = self._make(width)
            self._width = width
            self._height = self._document.size().height()
        return self._height

    def release(self) -> None:
        self._document = None

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        assert self._document is not None
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette.setColor(QPalette.ColorRole.Text, QColor(paint.tokens.ink2))
        if paint.selection is not None:
            context.selections = [self._selection(*paint.selection, paint.tokens.target_soft)]
        self._document.documentLayout().draw(painter, context)

    def position_at(self, point: QPointF) -> int:
        assert self._document is not None
        return self._document.documentLayout().hitTest(point, Qt.HitTestAccuracy.FuzzyHit)

    def rect_of(self, position: int) -> QRectF:
        assert self._document is not None
        block = self._document.findBlock(position)
        line = block.layout().lineForTextPosition(position - block.position())
        x = float(line.cursorToX(position - block.position())[0])  # type: ignore[index]  # typed as object
        origin = self._document.documentLayout().blockBoundingRect(block).topLeft()
        return QRectF(origin.x() + x, origin.y() + line.y(), 1, line.height())

    def measure_for(self, position: int, width: float) -> Iterator[None]:
        return iter(())

    def reveal(self, position: int) -> None:
        """All of it is seen."""

    def text(self, start: int, end: int) -> str:
        units = self._text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end]
        return units.decode("utf-16-le", "surrogatepass")

    def markdown(self) -> str:
        return self._text

    def markdown_of(self, start: int, end: int) -> str:
        return self.text(start, end)

    def text_in_lists(self, start: int, end: int) -> str:
        return self.text(start, end)

    def deeds(self) -> tuple[()]:
        return ()

    def link_at(self, point: QPointF) -> str:
        return ""

    def press(self, point: QPointF) -> bool:
        return False

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        return False

    def describe(self) -> str:
        return self._text

    def _make(self, width: float) -> QTextDocument:
        document = QTextDocument()
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        document.setDefaultFont(font("small"))
        document.setPlainText(self._text)
        cursor = QTextCursor(document)
        cursor.select(QTextCursor.SelectionType.Document)
        block_format = QTextBlockFormat()
        block_format.setLineHeight(measures.LINE, _FIXED)
        cursor.mergeBlockFormat(block_format)
        document.setTextWidth(width)
        return document

    def _selection(self, start: int, end: int, ground: str) -> QAbstractTextDocumentLayout.Selection:
        selection = QAbstractTextDocumentLayout.Selection()
        assert self._document is not None
        cursor = QTextCursor(self._document)
        cursor.setPosition(min(start, self.length))
        cursor.setPosition(min(end, self.length), QTextCursor.MoveMode.KeepAnchor)
        selection.cursor = cursor
        form = QTextCharFormat()
        form.setBackground(QColor(ground))
        selection.format = form
        return selection
