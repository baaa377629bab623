"""AttachmentsBlock: the chips of a message's attachments; a click on one asks for its text to be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QGuiApplication, QPainter

from app.chat.blocks.base import PlacedBlock
from app.chat.blocks.block import BlockPaint
from app.chat.blocks.small_words import draw_words, words_width
from app.chat.markdown_pieces import Place
from app.conversations.records import Attachment
from app.figures import write_bytes
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.mirroring import mirrored
from app.theme.symbols import draw_symbol
from app.theme.tokens import Tokens

_HEIGHT, _BETWEEN, _PADDING, _SYMBOL = 28.0, 6.0, 10.0, 15.0
_MOST = 280.0  # px of a chip
_RADIUS = 7


@dataclass(slots=True)
class _Chip:
    attachment: Attachment
    size: str
    rect: QRectF = field(default_factory=QRectF)

    def width_in(self, room: float) -> float:
        words = words_width(self.attachment.name) + 6 + words_width(self.size)
        return min(_MOST, room, ceil(2 * _PADDING + _SYMBOL + 6 + words) + 1.0)


class AttachmentsBlock(PlacedBlock):
    length = 0

    def __init__(self, attachments: Sequence[Attachment]) -> None:
        super().__init__(Place(), "", 0)
        self._chips = [_Chip(each, write_bytes(len(each.text.encode(errors="replace")))) for each in attachments]
        self._at = 0  # the chip that the keyboard is at
        self.pressed: Attachment | None = None  # what the last click was on

    @property
    def is_laid_out(self) -> bool:
        return self._width >= 0

    def estimate(self, width: float) -> float:
        return self.set_width(width)

    def set_width(self, width: float) -> float:
        """Chips stand at the end side, in as many rows as they need."""
        self._width = width
        rows: list[list[_Chip]] = [[]]
        room = width
        for chip in self._chips:
            if rows[-1] and chip.width_in(width) > room:
                rows.append([])
                room = width
            rows[-1].append(chip)
            room -= chip.width_in(width) + _BETWEEN
        for index, row in enumerate(rows):
            left = width - sum(chip.width_in(width) for chip in row) - _BETWEEN * (len(row) - 1)
            for chip in row:
                place = QRectF(left, index * (_HEIGHT + _BETWEEN), chip.width_in(width), _HEIGHT)
                chip.rect = mirrored(place, QRectF(0, 0, width, 0), QGuiApplication.layoutDirection())
                left += chip.width_in(width) + _BETWEEN
        return len(rows) * (_HEIGHT + _BETWEEN) - _BETWEEN

    def paint(self, painter: QPainter, paint: BlockPaint) -> None:
        for chip in self._chips:
            is_hovered = paint.hover is not None and chip.rect.contains(paint.hover)
            _paint_chip(painter, chip, paint.tokens, is_hovered=is_hovered)
        if paint.has_focus:
            draw_focus_ring(painter, paint.tokens, self.place_of_focus.adjusted(-3, -3, 3, 3), _RADIUS + 3)

    @property
    def place_of_focus(self) -> QRectF:
        """The chip that the keyboard is at."""
        return self._chips[self._at].rect

    def step(self, by: int) -> None:
        """Take the keyboard to another chip."""
        self._at = max(0, min(len(self._chips) - 1, self._at + by))

    def press(self, point: QPointF) -> bool:
        at = next((place for place, chip in enumerate(self._chips) if chip.rect.contains(point)), -1)
        if at < 0:
            return False
        self._at = at
        self.pressed = self._chips[at].attachment
        return True

    def text(self, start: int, end: int) -> str:
        return ""

    def describe(self) -> str:
        names = ", ".join(f"{chip.attachment.name} {chip.size}".replace("\u00a0", " ") for chip in self._chips)
        return f"Attached: {names}"


def _paint_chip(painter: QPainter, chip: _Chip, tokens: Tokens, *, is_hovered: bool) -> None:
    draw_round(painter, chip.rect, _RADIUS, tokens.hover if is_hovered else tokens.sunken, tokens.line)
    middle = round(chip.rect.center().y() - _SYMBOL / 2)
    draw_symbol(painter, "attach", tokens.ink2, QRectF(chip.rect.left() + _PADDING, middle, _SYMBOL, _SYMBOL))
    size_width = words_width(chip.size)
    left = chip.rect.left() + _PADDING + _SYMBOL + 6
    right = chip.rect.right() - _PADDING
    name = QRectF(left, chip.rect.top(), right - left - size_width - 6, _HEIGHT)
    draw_words(painter, chip.attachment.name, tokens.ink, name)
    draw_words(painter, chip.size, tokens.ink3, QRectF(right - size_width, chip.rect.top(), size_width + 1, _HEIGHT))
