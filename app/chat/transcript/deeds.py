"""DeedFocus: the keyboard goes through what the blocks of a message offer, such as Copy, folds and links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from app.chat.announcing import announce
from app.chat.blocks.attachments_block import AttachmentsBlock
from app.chat.blocks.block import Block, Deed
from app.chat.blocks.fold_block import FoldBlock
from app.theme.glyphs import draw_focus_ring

if TYPE_CHECKING:
    from app.chat.transcript.hands import TranscriptHands

_RADIUS = 7


class DeedFocus:
    """`at` is the place of a deed among those of the block that is read; -1 is the block itself."""

    def __init__(self, view: TranscriptHands) -> None:
        self._view = view
        self.at = -1

    @property
    def current(self) -> Deed | None:
        deeds = self._deeds()
        return deeds[self.at] if 0 <= self.at < len(deeds) else None

    def readable(self) -> list[int]:
        """Blocks of the message whose name is not their text, or that offer something."""
        view = self._view
        if not 0 <= view.focus_index < len(view.sections):
            return []
        blocks = enumerate(view.sections[view.focus_index].blocks)
        return [place for place, block in blocks if not block.is_hidden and _offers(block)]

    def step(self, by: int) -> bool:
        """To another deed, from the block's last to those of the next; False where no more follow."""
        view = self._view
        if view.focus_block < 0:
            return False
        following = self.at + by
        if (following < len(self._deeds()) and self.at >= 0) or (following == 0 and self._deeds()):
            self._go(following)
            return True
        later = [one for one in self.readable() if (one > view.focus_block if by > 0 else one < view.focus_block)]
        if not later:
            return False
        view.focus_on_block(later[0] if by > 0 else later[-1])
        return True

    def press(self) -> None:
        """Do what is at hand; where that is the block itself, take the first of its deeds to hand."""
        view = self._view
        index, block = view.focus_index, view.focus_block
        shown = view.sections[index].blocks[block]
        if isinstance(shown, AttachmentsBlock) and self.at < 0 and shown.press(shown.place_of_focus.center()):
            view.take_press(index, block)
            return
        if isinstance(shown, FoldBlock):
            self.at = 0
        if (deed := self.current) is None:
            self._go(0)
            return
        deed.do()
        view.take_press(index, block)
        self.at = min(self.at, len(self._deeds()) - 1)

    def paint(self, painter: QPainter) -> None:
        if (deed := self.current) is not None and self._view.has_keyboard_focus and self._view.hasFocus():
            draw_focus_ring(painter, self._view.theme.tokens, self._rect_of(deed).adjusted(-3, -2, 3, 2), _RADIUS)

    def _go(self, at: int) -> None:
        self.at = at
        if (deed := self.current) is not None:
            self._view.show_rect(self._rect_of(deed))
            announce(self._view, deed.name)
        self._view.viewport().update()

    def _rect_of(self, deed: Deed) -> QRectF:
        view = self._view
        return deed.rect.translated(view.rect_of_block(view.focus_index, view.focus_block).topLeft())

    def _deeds(self) -> list[Deed]:
        view = self._view
        if view.focus_block < 0 or not 0 <= view.focus_index < len(view.sections):
            return []
        blocks = view.sections[view.focus_index].blocks
        return list(blocks[view.focus_block].deeds()) if view.focus_block < len(blocks) else []


def _offers(block: Block) -> bool:
    return block.describe() != block.text(0, block.length) or bool(block.deeds())
