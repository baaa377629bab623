"""What is painted of a section: its ground, blocks, strip, reasons, state and the live end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import pi, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QGuiApplication, QPainter

from app.chat.blocks.block import Block, BlockPaint, Span
from app.chat.blocks.looks import is_mirrored
from app.chat.strip import draw_progress, draw_strip, progress_words
from app.chat.transcript import measures
from app.chat.transcript.section import Section, left_out_words
from app.theme.fonts import font
from app.theme.glyphs import draw_dot, draw_focus_ring, draw_round
from app.theme.mirroring import mirrored
from app.theme.symbols import draw_symbol
from app.theme.tokens import Tokens

CARET_WIDTH, CARET_HEIGHT, CARET_AHEAD = 3, 16, 14  # the last: room for the drafter's dot


@dataclass(slots=True)
class Look:
    """What the painting of one section depends on beside the section."""

    tokens: Tokens
    model: str = ""
    phase: float = 0.0
    selected: Callable[[int, int], Span | None] = lambda block, length: None
    found: dict[int, list[Span]] = field(default_factory=dict)  # by block
    current: tuple[int, Span] | None = None  # block and hit
    drafted: Callable[[int], Sequence[Span]] = lambda block: ()
    hover: tuple[int, QPointF] | None = None  # block and point in it
    focused_block: int = -1
    has_focus: bool = False


def paint_section(painter: QPainter, section: Section, look: Look, clip: QRectF) -> None:
    """Paint what `clip` shows of a section, in the section's own coordinates."""
    tokens = dimmed(look.tokens) if section.is_left_out else look.tokens
    column = section.column
    if section.num_left_out_above:
        _paint_left_out(painter, look.tokens, column, section.num_left_out_above)
    _paint_blocks(painter, section, replace(look, tokens=tokens), clip)
    if section.has_strip:
        _paint_strip(painter, section, look, QRectF(0, section.parts.row, column, measures.ROW))
    for index, words in enumerate(section.reasons):
        _paint_reason(painter, tokens, _reason_rect(section, index), words)
    if section.note is not None and not section.note_height:
        place = QRectF(0, section.parts.tail, column, measures.LINE)
        _write(painter, place, section.note.text, tokens.ink2)
    if section.is_running and section.progress is None:
        _paint_caret(painter, section, look)
    if look.has_focus:
        bottom = section.parts.height if not section.note_height else section.parts.tail
        place = QRectF(-10, section.parts.body - 6, column + 20, bottom - section.parts.body + 8)
        draw_focus_ring(painter, tokens, place, 10)


def caret_rect(section: Section) -> QRectF:
    """Where the live end stands in a running reply, with the room of the drafter's dot."""
    if not section.body.blocks:
        return QRectF(0, section.parts.body + 4, CARET_WIDTH + CARET_AHEAD, CARET_HEIGHT)
    index = len(section.body.blocks) - 1
    block = section.body.blocks[index]
    if block.is_hidden or not block.is_laid_out:  # in reasoning that is folded nothing grows to be seen
        return QRectF()
    place = block.rect_of(block.length)
    top = section.top_of_block(index) + place.center().y() - CARET_HEIGHT / 2
    left = min(place.left() + 2, section.column - CARET_WIDTH)
    return QRectF(round(left), round(top), CARET_WIDTH + CARET_AHEAD, CARET_HEIGHT)


def left_out_rect(column: float, num_messages: int) -> QRectF:
    """Where a section says what is left out above it; a button stands behind that."""
    words = left_out_words(num_messages)
    room = max(0.0, column - measures.INCLUDE_WIDTH)
    width = min(room, QFontMetricsF(font("small")).horizontalAdvance(words) + 2)
    return _mirrored(QRectF((room - width) / 2, measures.NOTE_GAP, width, measures.ROW), column)


def include_rect(column: float, num_messages: int) -> QRectF:
    """Of the button behind what a section says is left out."""
    words = left_out_rect(column, num_messages)
    left = words.left() - 2 - measures.INCLUDE_WIDTH if is_mirrored() else words.right() + 2
    return QRectF(left, words.top(), measures.INCLUDE_WIDTH, measures.ROW)


def _reason_rect(section: Section, index: int) -> QRectF:
    """Of one line; the last one leaves room for what stands behind it."""
    taken = _width_behind(section) if index == len(section.reasons) - 1 else 0
    width = max(0.0, section.column - taken)
    place = QRectF(0, section.parts.reasons + index * measures.LINE, width, measures.LINE)
    return _mirrored(place, section.column)


def _width_behind(section: Section) -> int:
    """Of the button behind the last reason; 0 where there is none."""
    if section.can_stop:
        return measures.STOP_WIDTH
    return measures.MORE_WIDTH if section.more_words else 0


def behind_reasons_rect(section: Section) -> QRectF:
    """Of the button behind the last reason: it ends what that tells of, or opens the notes that are folded away."""
    place = _mirrored(_reason_rect(section, len(section.reasons) - 1), section.column)
    words = QFontMetricsF(font("small")).horizontalAdvance(section.reasons[-1])
    left = min(place.right(), measures.REASON_INDENT + words + 2)
    top = place.center().y() - measures.ROW / 2
    return _mirrored(QRectF(left, top, _width_behind(section), measures.ROW), section.column)


def _mirrored(place: QRectF, column: float) -> QRectF:
    return mirrored(place, QRectF(0, 0, column, 0), QGuiApplication.layoutDirection())


@lru_cache(maxsize=4)
def dimmed(tokens: Tokens) -> Tokens:
    """Every ink as caption: what the prompt has not."""
    return replace(tokens, ink=tokens.ink3, ink2=tokens.ink3)


def _paint_blocks(painter: QPainter, section: Section, look: Look, clip: QRectF) -> None:
    num_body = len(section.body.blocks)
    stacks = ((section.body, 0, section.parts.body), (section.details, num_body, section.parts.details))
    for stack, first, start in stacks:
        for place in stack.between(clip.top() - start, clip.bottom() - start):
            block = stack.blocks[place]
            if not block.is_laid_out:
                continue
            top = start + stack.tops[place]
            painter.save()
            painter.translate(0, top)
            block.paint(painter, _paint_of(block, first + place, look, clip.translated(0, -top)))
            painter.restore()


def _paint_of(block: Block, index: int, look: Look, clip: QRectF) -> BlockPaint:
    is_current = look.current is not None and look.current[0] == index
    return BlockPaint(
        look.tokens,
        clip,
        selection=look.selected(index, block.length),
        drafted=look.drafted(index),
        found=look.found.get(index, ()),
        current=look.current[1] if is_current and look.current else None,
        has_focus=index == look.focused_block,
        hover=look.hover[1] if look.hover is not None and look.hover[0] == index else None,
    )


def _paint_strip(painter: QPainter, section: Section, look: Look, rect: QRectF) -> None:
    if section.progress is not None:
        words = progress_words(section.progress, look.model)
        draw_progress(painter, look.tokens, rect, section.progress, words)
        return
    # From the first token on without the room of actions: nothing goes when they come.
    room = _mirrored(rect.adjusted(0, 0, -section.controls_width, 0), rect.width())
    is_running, rate = section.is_running, section.rate
    draw_strip(painter, look.tokens, room, section.statistics, section.rounds, is_running=is_running, rate=rate)


def _paint_reason(painter: QPainter, tokens: Tokens, rect: QRectF, words: str) -> None:
    symbol = _symbol_of(words.lower())
    colour = tokens.draft if symbol == "drafter" else tokens.ink2
    place = QRectF(rect.left(), round(rect.center().y() - 7.5), 15, 15)
    side = QGuiApplication.layoutDirection()
    draw_symbol(painter, symbol, colour, mirrored(place, rect, side))
    _write(painter, mirrored(rect.adjusted(measures.REASON_INDENT, 0, 0, 0), rect, side), words, tokens.ink2)


def _paint_left_out(painter: QPainter, tokens: Tokens, column: float, num_messages: int) -> None:
    words = left_out_words(num_messages)
    place = left_out_rect(column, num_messages)
    _write(painter, place, words, tokens.ink2)
    middle = round(place.center().y())
    taken = place.united(include_rect(column, num_messages))
    painter.fillRect(QRectF(0, middle, max(0.0, taken.left() - 12), 1), QColor(tokens.line))
    painter.fillRect(QRectF(taken.right() + 4, middle, max(0.0, column - taken.right() - 4), 1), QColor(tokens.line))


def _paint_caret(painter: QPainter, section: Section, look: Look) -> None:
    """The caret at the live end, and the drafter's dot ahead of it."""
    place = caret_rect(section)
    if place.isNull():
        return
    caret = QRectF(place.left(), place.top(), CARET_WIDTH, CARET_HEIGHT)
    draw_round(painter, caret, 1.5, look.tokens.target)
    if section.message.drafter not in ("", "none"):
        ahead = 1.5 * (1 - sin(2 * pi * (look.phase + 0.25))) if look.phase else 0.0
        draw_dot(painter, look.tokens.draft_fill, QPointF(caret.right() + 4 + 2.5 + ahead, caret.center().y()), 2.5)


def _write(painter: QPainter, rect: QRectF, words: str, colour: str) -> None:
    painter.setFont(font("small"))
    painter.setPen(QColor(colour))
    shown = QFontMetricsF(font("small")).elidedText(words, Qt.TextElideMode.ElideRight, rect.width())
    side = Qt.AlignmentFlag.AlignRight if is_mirrored() else Qt.AlignmentFlag.AlignLeft
    painter.drawText(rect, side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute, shown)


def _symbol_of(reason: str) -> str:
    """The subject of a reason: what was read again has a reason of its own, whatever that names."""
    if "read again" in reason or "prompt cache" in reason:
        return "cache"
    if reason.startswith("checked"):
        return "check"
    if reason.startswith("differs"):
        return "warning"
    return "drafter" if "draft" in reason else "model"
