"""Keyboard: by message with the arrows, to a message's actions with Tab, into code with Enter."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from app.chat.blocks.attachments_block import AttachmentsBlock

if TYPE_CHECKING:
    from app.chat.transcript.hands import TranscriptHands

SIDEWAYS = 40  # px that an arrow moves what is read


class Keyboard(QObject):
    """What keys do in one transcript."""

    def __init__(self, view: TranscriptHands) -> None:
        super().__init__(view)
        self._view = view
        key = Qt.Key
        self._deeds: dict[int, Callable[[], None]] = {
            key.Key_Up: lambda: self.step(-1),
            key.Key_Down: lambda: self.step(1),
            key.Key_Home: lambda: view.verticalScrollBar().setValue(0),
            key.Key_End: view.scroll_to_end,
            key.Key_PageUp: lambda: self._page(-1),
            key.Key_PageDown: lambda: self._page(1),
            key.Key_Return: self._enter,
            key.Key_Enter: self._enter,
            key.Key_Left: lambda: self._sideways(-SIDEWAYS),
            key.Key_Right: lambda: self._sideways(SIDEWAYS),
        }

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key asks for; False where it asks for nothing here."""
        view = self._view
        if event.matches(QKeySequence.StandardKey.Copy):
            view.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            view.selectAll()
        elif event.key() == Qt.Key.Key_Escape and (view.focus_block >= 0 or not view.selection.is_empty):
            self._leave()
        elif event.key() in self._deeds and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._deeds[event.key()]()
        else:
            return False
        return True

    def step(self, by: int) -> None:
        """To another message, or within the message to another block that is read."""
        view = self._view
        if view.focus_block >= 0:
            self._step_block(by)
            return
        num_sections = len(view.sections)
        if not num_sections:
            return
        if not view.has_keyboard_focus:
            view.show_focus()
        at = view.focus_index
        rect = view.rect_of_section(at)
        if self._is_beyond(rect.top(), rect.bottom(), by):
            self._scroll_within(by)
            return
        view.focus_section(max(0, min(num_sections - 1, at + by)))

    def _is_beyond(self, top: int, bottom: int, by: int) -> bool:
        """Whether the message goes on outside of the view on the side that a step leads to."""
        return bottom > self._view.viewport().height() if by > 0 else top < 0

    def _scroll_within(self, by: int) -> None:
        bar = self._view.verticalScrollBar()
        bar.setValue(bar.value() + by * bar.pageStep() // 2)

    def _page(self, by: int) -> None:
        bar = self._view.verticalScrollBar()
        bar.setValue(bar.value() + by * (bar.pageStep() - 40))

    def _enter(self) -> None:
        """Read the first block in view that is more than text, or do what is at hand in the one that is read."""
        view = self._view
        view.show_focus()
        blocks = self._view.deeds.readable()
        if view.focus_block >= 0:
            view.deeds.press()
        elif blocks:
            height = view.viewport().height()
            in_view = [one for one in blocks if 0 <= view.rect_of_block(view.focus_index, one).top() < height]
            view.focus_on_block((in_view or blocks)[0])

    def _leave(self) -> None:
        view = self._view
        view.selection.clear()
        view.focus_on_block(-1)

    def _step_block(self, by: int) -> None:
        view = self._view
        blocks = self._view.deeds.readable()
        following = [one for one in blocks if (one > view.focus_block if by > 0 else one < view.focus_block)]
        view.focus_on_block((following[0] if by > 0 else following[-1]) if following else view.focus_block)

    def _sideways(self, pixels: float) -> None:
        view = self._view
        if view.focus_block < 0:
            return
        block = view.sections[view.focus_index].blocks[view.focus_block]
        rect = view.rect_of_block(view.focus_index, view.focus_block)
        if isinstance(block, AttachmentsBlock):
            block.step(1 if pixels > 0 else -1)
        else:
            block.scroll_by(QPointF(rect.width() / 2, rect.height() / 2), pixels)
        view.update_section(view.focus_index)
