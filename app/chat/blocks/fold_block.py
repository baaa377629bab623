"""FoldBlock: the line over a reply's reasoning; ThoughtBlock: a block of the reasoning, there while that is open."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app.chat.blocks.base import PlacedBlock, moved
from app.chat.blocks.block import BlockPaint
from app.chat.blocks.growing import PieceBlock
from app.chat.markdown_pieces import Piece, Place
from app.figures import write_count
from app.theme.fonts import font
from app.theme.symbols import draw_symbol

_HEIGHT = 24.0
_CHEVRON = 15.0
_TEXT_X = 16.0
_INSET = 14.0
_LINE_WIDTH = 2.0


class FoldBlock(PlacedBlock):
    """Shows and hides the blocks of one part of reasoning; its words are not part of the text."""

    length = 0
    is_laid_out = True

    def __init__(self, source_start: int, gap: int = 0) -> None:
        super().__init__(Place(gap=gap, joint="\n\n" if gap else ""), "", source_start)
        self.is_open = False
        self.is_running = False
        self.is_unfinished = False  # its end was not written
        self.seconds = 0.0
        self.num_tokens = 0

    @property
    def words(self) -> tuple[str, str]:
        """What it says, and the number of tokens after it."""
        seconds = f"{max(1, round(self.seconds))}\u00a0s" if self.seconds else ""
        if self.is_running:
            return f"Thinking, {seconds}" if seconds else "Thinking", ""
        said = f"Thought for {seconds}" if seconds else "Thought"
        tokens = write_count(self.num_tokens, "tokens") if self.num_tokens else ""
        return f"{said}, unfinished" if self.is_unfinished else said, tokens

    def estimate(self, width: float) -> float:
        return _HEIGHT

    def set_width(self, width: float) -> float:
        self._width = width
        return _HEIGHT

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        is_hovered = paint.hover is not None and self._ground.contains(paint.hover)
        ink = paint.tokens.ink if is_hovered else paint.tokens.ink2
        symbol = "chevron-down" if self.is_open else "chevron-right"
        draw_symbol(painter, symbol, ink, QRectF(-3, (_HEIGHT - _CHEVRON) // 2, _CHEVRON, _CHEVRON))
        said, tokens = self.words
        metrics = QFontMetricsF(font("interface"))
        baseline = round((_HEIGHT - metrics.height()) / 2 + metrics.ascent())
        painter.setFont(font("interface"))
        painter.setPen(QColor(ink))
        painter.drawText(QPointF(_TEXT_X, baseline), said)
        painter.setPen(QColor(paint.tokens.ink3))
        painter.drawText(QPointF(_TEXT_X + metrics.horizontalAdvance(said) + 8, baseline), tokens)

    @property
    def _ground(self) -> QRectF:
        metrics = QFontMetricsF(font("interface"))
        width = _TEXT_X + sum(metrics.horizontalAdvance(words) for words in self.words) + 8
        return QRectF(-4, 0, width + 8, _HEIGHT)

    def press(self, point: QPointF) -> bool:
        if not self._ground.contains(point):
            return False
        self.is_open = not self.is_open
        return True

    def text(self, start: int, end: int) -> str:
        return ""

    def describe(self) -> str:
        state = "shown" if self.is_open else "folded"
        return ", ".join(words.replace("\u00a0", " ") for words in (*self.words, state) if words)


class ThoughtBlock:
    """A block of reasoning, set in by a line at its start side; hidden while its fold is closed."""

    def __init__(self, inner: PieceBlock, fold: FoldBlock) -> None:
        self._inner = inner
        self._fold = fold
        self._height = 0.0
        self._was_hidden: bool | None = None  # when its height was last asked for

    @property
    def gap(self) -> int:
        return 0 if self.is_hidden else max(self._inner.gap, 4)

    @property
    def joint(self) -> str:
        return self._inner.joint

    @property
    def source_start(self) -> int:
        return self._inner.source_start

    @property
    def length(self) -> int:
        return self._inner.length

    @property
    def is_hidden(self) -> bool:
        return not self._fold.is_open

    @property
    def is_laid_out(self) -> bool:
        return self._was_hidden == self.is_hidden and (self.is_hidden or self._inner.is_laid_out)

    def take(self, piece: Piece) -> bool:
        return self._inner.take(piece)

    def move(self, place: Place, source: str, source_start: int) -> None:
        self._inner.move(place, source, source_start)

    def estimate(self, width: float) -> float:
        return 0.0 if self.is_hidden else self._inner.estimate(width - _INSET)

    def set_width(self, width: float) -> float:
        self._was_hidden = self.is_hidden
        self._height = 0.0 if self.is_hidden else self._inner.set_width(width - _INSET)
        return self._height

    def release(self) -> None:
        self._inner.release()

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        if self.is_hidden:
            return
        painter.fillRect(QRectF(0, -self.gap, _LINE_WIDTH, self._height + self.gap), QColor(paint.tokens.line))
        painter.translate(_INSET, 0)
        self._inner.paint(painter, moved(paint, _INSET, 0))
        painter.translate(-_INSET, 0)

    def position_at(self, point: QPointF) -> int:
        return self._inner.position_at(_within(point))

    def rect_of(self, position: int) -> QRectF:
        return QRectF() if self.is_hidden else self._inner.rect_of(position).translated(_INSET, 0)

    def text(self, start: int, end: int) -> str:
        return self._inner.text(start, end)

    def markdown(self) -> str:
        return self._inner.markdown()

    def link_at(self, point: QPointF) -> str:
        return self._inner.link_at(_within(point))

    def press(self, point: QPointF) -> bool:
        return not self.is_hidden and self._inner.press(_within(point))

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        return self._inner.scroll_by(_within(point), pixels)

    def describe(self) -> str:
        return self._inner.describe()


def _within(point: QPointF) -> QPointF:
    return point - QPointF(_INSET, 0)
