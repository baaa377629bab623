"""What tests of blocks share: messages, laying out, painting."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from app.chat.blocks.block import Block, BlockPaint
from app.chat.blocks.message import make_blocks
from app.conversations.records import Attachment, Message
from app.theme.tokens import LIGHT, Tokens

WIDTH = 400.0


def message(text: str, *, role: str = "assistant", attachments: Sequence[Attachment] = (), **more: object) -> Message:
    return Message("m", "c", None, role, text, attachments=tuple(attachments), **more)  # type: ignore[arg-type]


def blocks_of(text: str, **more: object) -> list[Block]:
    """Laid out."""
    blocks = make_blocks(message(text, **more))  # type: ignore[arg-type]
    for block in blocks:
        block.set_width(WIDTH)
    return blocks


def block_of(text: str, **more: object) -> Block:
    (block,) = blocks_of(text, **more)
    return block


def paint(
    block: Block, *, tokens: Tokens = LIGHT, hover: QPointF | None = None, most: float = 1e4, **marks: object
) -> QImage:
    """The block on the canvas, as high as it is; of a higher one the beginning."""
    height = min(most, block.set_width(WIDTH))
    image = QImage(round(WIDTH), max(1, round(height)), QImage.Format.Format_RGB32)
    image.fill(QColor(tokens.canvas))
    painter = QPainter(image)
    block.paint(painter, BlockPaint(tokens, QRectF(0, 0, WIDTH, height), hover=hover, **marks))  # type: ignore[arg-type]
    painter.end()
    return image


def has_colour(image: QImage, colour: str, rect: QRectF | None = None) -> bool:
    place = (rect or QRectF(image.rect())).toRect().intersected(image.rect())
    sought = QColor(colour).rgb()
    rows = range(place.top(), place.bottom() + 1)
    return any(image.pixel(x, y) == sought for y in rows for x in range(place.left(), place.right() + 1))


def middle_of(block: Block, start: int, end: int) -> QPointF:
    """Between two positions of one line."""
    first, last = block.rect_of(start), block.rect_of(end)
    return QPointF((first.left() + last.left()) / 2, first.center().y())
