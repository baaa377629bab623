"""CodeBlock: code with its language and Copy over it, scrolled sideways by itself, folded where it is long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QPainter

from app.chat.blocks.base import PlacedBlock
from app.chat.blocks.block import BlockPaint, Deed
from app.chat.blocks.changes import changes
from app.chat.blocks.code_lines import CodeLines
from app.chat.blocks.code_text import CodeText
from app.chat.blocks.looks import CODE, text_scale
from app.chat.blocks.sideways import Sideways
from app.chat.blocks.small_words import draw_words, words_width
from app.chat.code_colours import MAX_COLOURED, name_language
from app.chat.markdown_pieces import Code, Piece
from app.figures import write_count
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.symbols import draw_symbol

FOLD_LINES = 400
COPIED_MS = 1500
_HEAD = 32.0
_PADDING = 14.0
_ABOVE, _BELOW = 10.0, 12.0
_FOOT = 32.0
_RADIUS = 10


class CodeBlock(PlacedBlock):
    def __init__(self, piece: Code, source: str, source_start: int) -> None:
        super().__init__(piece.place, source, source_start)
        self._text = CodeText(piece.code, piece.language, is_closed=piece.is_closed)
        self._lines = CodeLines(self._text)
        self._sideways = Sideways()
        self._is_folded = len(self._text.lines) > FOLD_LINES
        self._is_copied = False
        self._laid_out = (-1.0, 0, 0.0)  # width, number of lines and scale that the height was last asked for with

    def take(self, piece: Piece) -> bool:
        """Become longer; code that grew before the reader's eyes does not fold itself."""
        if not isinstance(piece, Code) or piece.language != self._text.language:
            return False
        self._text.take(piece.code, is_closed=piece.is_closed)
        return True

    @property
    def num_lines(self) -> int:
        """That are shown."""
        return FOLD_LINES if self._is_folded else len(self._text.lines)

    @property
    def length(self) -> int:
        return self._text.starts[-1] - 1

    @property
    def is_laid_out(self) -> bool:
        return self._laid_out == (self._width, self.num_lines, text_scale())

    @property
    def _height(self) -> float:
        foot = _FOOT if self._is_folded else _BELOW
        return _HEAD + _ABOVE + CODE.row_height * self.num_lines + foot

    def estimate(self, width: float) -> float:
        return self._height

    def set_width(self, width: float) -> float:
        self._width = width
        self._laid_out = (width, self.num_lines, text_scale())
        self._sideways.set_widths(self._lines.width, self._room.width())
        return self._height

    def release(self) -> None:
        self._lines.release()
        self._laid_out = (-1.0, 0, 0.0)

    @property
    def _ground(self) -> QRectF:
        return QRectF(self.inset, 0, self._width - self.inset, self._height)

    @property
    def _room(self) -> QRectF:
        """Where the lines are."""
        return self._ground.adjusted(_PADDING, _HEAD + _ABOVE, -_PADDING, -_BELOW)

    @property
    def _origin(self) -> QPointF:
        return self._room.topLeft() - QPointF(self._sideways.offset, 0)

    @property
    def _copy_rect(self) -> QRectF:
        width = words_width("Copied") + 15 + 5 + 2 * 10
        return QRectF(self._ground.right() - width - 2, 2, width, _HEAD - 4)

    @property
    def _fold_rect(self) -> QRectF:
        return QRectF(self._ground.left(), self._height - _FOOT, self._ground.width(), _FOOT)

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        self.paint_quotes(painter, paint.tokens, self._height)
        self.paint_mark_beside(painter, paint.tokens, _HEAD / 2)
        draw_round(painter, self._ground, _RADIUS, paint.tokens.sunken, paint.tokens.line)
        self._paint_head(painter, paint)
        room = self._room.adjusted(-_PADDING + 1, -_ABOVE, _PADDING - 1, _BELOW)
        if self._is_folded:
            room.setBottom(self._height - _FOOT)
        painter.save()
        painter.setClipRect(room, Qt.ClipOperation.IntersectClip)
        self._lines.paint(painter, self._origin, replace(paint, clip=paint.clip.intersected(room)), self.num_lines)
        painter.restore()
        self._sideways.paint_fades(painter, room.adjusted(0, 1, 0, -_RADIUS), paint.tokens.sunken)
        self._sideways.paint_bar(painter, self._room.adjusted(0, 0, 0, _BELOW - 3), paint.tokens)
        if self._is_folded:
            self._paint_fold(painter, paint)
        if paint.has_focus:
            draw_focus_ring(painter, paint.tokens, self._ground, _RADIUS)

    def _paint_head(self, painter: QPainter, paint: BlockPaint) -> None:
        line = QRectF(self._ground.left() + 1, _HEAD, self._ground.width() - 2, 1)
        painter.fillRect(line, QColor(paint.tokens.line))
        place = QRectF(self._room.left(), 0, self._room.width() - 90, _HEAD)
        draw_words(painter, self.heading, paint.tokens.ink2, place)
        rect = self._copy_rect
        ink = paint.tokens.ink if paint.hover is not None and rect.contains(paint.hover) else paint.tokens.ink2
        symbol = QRectF(rect.left() + 10, round(rect.center().y() - 7.5), 15, 15)
        draw_symbol(painter, "check" if self._is_copied else "copy", ink, symbol)
        draw_words(painter, "Copied" if self._is_copied else "Copy", ink, rect.adjusted(30, 0, 0, 0))

    @property
    def heading(self) -> str:
        """The language; where the code is too long for colours, that is said."""
        name = name_language(self._text.language)
        return f"{name}, without colours: it is longer than 200 kB" if len(self._text.code) > MAX_COLOURED else name

    def _paint_fold(self, painter: QPainter, paint: BlockPaint) -> None:
        rect = self._fold_rect
        painter.fillRect(QRectF(rect.left() + 1, rect.top(), rect.width() - 2, 1), QColor(paint.tokens.line))
        draw_words(painter, self._fold_words, paint.tokens.target, rect.adjusted(_PADDING, 0, 0, 0))

    @property
    def _fold_words(self) -> str:
        return f"Show all, {write_count(len(self._text.lines), 'lines')}"

    def press(self, point: QPointF) -> bool:
        if self._copy_rect.contains(point):
            self.copy()
            return True
        if self._is_folded and self._fold_rect.contains(point):
            self._unfold()
            return True
        return False

    def deeds(self) -> Sequence[Deed]:
        if not self.is_laid_out:
            return ()
        copy = Deed("Copy code", self._copy_rect, self.copy)
        fold = Deed(self._fold_words.replace("\u00a0", " "), self._fold_rect, self._unfold)
        return (copy, fold) if self._is_folded else (copy,)

    def _unfold(self) -> None:
        self._is_folded = False

    def copy(self) -> None:
        """Put the code on the clipboard, and say so for a moment."""
        QGuiApplication.clipboard().setText(self._text.code + "\n")
        self._is_copied = True
        QTimer.singleShot(COPIED_MS, self._forget_copied)
        changes().changed.emit()

    def _forget_copied(self) -> None:
        self._is_copied = False
        changes().changed.emit()

    def scroll_by(self, point: QPointF, pixels: float) -> bool:
        return self._sideways.scroll_by(pixels)

    def position_at(self, point: QPointF) -> int:
        return self._lines.position_at(point - self._origin, self.num_lines)

    def rect_of(self, position: int) -> QRectF:
        return self._lines.rect_of(position).translated(self._origin)

    def reveal(self, position: int) -> None:
        """Unfold and scroll so that a position is seen within the block."""
        self._is_folded = self._is_folded and self._text.line_at(position) < FOLD_LINES
        left = self._lines.rect_of(position).left()
        self._sideways.show(left, left + 40)

    def text(self, start: int, end: int) -> str:
        return self._lines.slice(start, end)

    def describe(self) -> str:
        lines = write_count(len(self._text.lines), "lines")
        return self.named(f"Code, {self.heading}, {lines}".replace("\u00a0", " "))
