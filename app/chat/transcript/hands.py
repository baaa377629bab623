"""TranscriptHands: what a reader does in the transcript: finding, keys, pointing."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.chat.blocks.find import find_in
from app.chat.find_bar import HEIGHT
from app.chat.transcript import accessibility, measures
from app.chat.transcript.actions import TranscriptActions
from app.chat.transcript.deeds import DeedFocus
from app.chat.transcript.find import Hit
from app.chat.transcript.keyboard import Keyboard
from app.chat.transcript.section import Section
from app.theme.buttons import KEYBOARD_REASONS
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

_FIND_ROOM = HEIGHT + 2 * 12  # px at the top that the find bar covers, with its margins


class TranscriptHands(TranscriptActions):
    found_changed = Signal(int, int)  # hits, and which of them is current, from 1; 0 where none is

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(theme, pulse, parent)
        self.deeds = DeedFocus(self)
        self._keyboard = Keyboard(self)
        self.finder.changed.connect(self._take_found)
        self.finder.found.connect(lambda: self._show_hit(self.finder.current))

    # Finding

    def find(self, words: str, message_id: str = "") -> int:  # type: ignore[override]  # QWidget's looks up window ids
        """Mark every place that has these words; returns how many there are, `found_changed` tells of more.

        The current one is the first of the message that is named, else the last of all.
        """
        self._leave_room(_FIND_ROOM)
        num_found = self.finder.find(words, self.sections.find(message_id))
        self._take_found()
        return num_found

    def words_in(self, message_id: str, words: str) -> str:
        """Of words that a message has in any order what it shows as written; "" where it is not there."""
        index = self.sections.find(message_id)
        if index is None or not words.split():
            return ""
        is_phrase = any(find_in(block, words) for block in self.sections[index].blocks)
        return words if is_phrase else max(words.split(), key=len)

    def step(self, by: int) -> None:
        """Go to another hit."""
        self._show_hit(self.finder.step(by))

    def clear(self) -> None:
        """Mark no hits any more."""
        self.finder.clear()
        self._leave_room(measures.TOP)

    def _leave_room(self, top: int) -> None:
        """Above the first message, which the find bar would cover."""
        if self.sections.top != top:
            self.sections.top = float(top)
            self.hold(self.sections.place_tops)

    def _take_found(self) -> None:
        self.found_changed.emit(len(self.finder.hits), self.finder.place + 1)
        self.viewport().update()

    def _show_hit(self, hit: Hit | None) -> None:
        if hit is None:
            return
        self._laid_out(hit.section, hit.block).reveal(hit.span[0])
        self.hold_here(lambda: self.make_from(hit.section, 0))
        if not self._is_seen(hit):
            self.scroll_to(hit.section, hit.block)
            self.show_rect(self._rect_of_hit(hit), _FIND_ROOM)
        self.viewport().update()

    def _is_seen(self, hit: Hit) -> bool:
        rect = self._rect_of_hit(hit)
        return rect.top() >= _FIND_ROOM and rect.bottom() <= self.viewport().height()

    def _rect_of_hit(self, hit: Hit) -> QRectF:
        place = self._laid_out(hit.section, hit.block).rect_of(hit.span[0])
        return place.translated(self.rect_of_block(hit.section, hit.block).topLeft())

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._keyboard.press(event):
            event.ignore()

    def focus_section(self, index: int) -> None:
        """Take the keyboard to a message and show it."""
        self.focus_index, self.focus_block = index, -1
        self.has_keyboard_focus = True
        section = self.sections[index]
        if not section.is_made:
            self.hold(section.make)
        self.show_rect(QRectF(self.rect_of_section(index)))
        self.settle()
        accessibility.tell_focus(self)

    def focus_on_block(self, block: int) -> None:
        """Read one block of the message, or with -1 the message."""
        self.focus_block, self.deeds.at = block, -1
        if block >= 0:
            self._laid_out(self.focus_index, block)
            self.show_rect(self.rect_of_block(self.focus_index, block))
        self.viewport().update()

    def buttons_of(self, section: Section) -> list[QWidget]:
        """Buttons of a message that are seen, from the start."""
        stops: list[QWidget] = list(self._rows.stops_of(section))
        return stops + (self.note_buttons() if section is self.last else [])

    def note_buttons(self) -> list[QWidget]:
        return []

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in KEYBOARD_REASONS:
            self.show_focus()
        self.viewport().update()

    def show_focus(self) -> None:
        """Let the message that the keyboard is at be seen, with its actions; the last one at first."""
        self.has_keyboard_focus = True
        if not 0 <= self.focus_index < len(self.sections):
            self.focus_index = len(self.sections) - 1
        self._rows.place()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.deeds.paint(QPainter(self.viewport()))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        QTimer.singleShot(0, self._rows.place)
        self.viewport().update()

    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Tab goes from the message to its actions, and from the last of them out of the transcript.

        Where a block is read, it goes through what its message's blocks offer first.
        """
        focused = self.window().focusWidget()
        if focused is self and self.deeds.step(1 if is_next else -1):
            return True
        if focused is self and is_next:
            self.show_focus()
            self._bring_message()
        section = self.sections[self.focus_index] if 0 <= self.focus_index < len(self.sections) else None
        stops = self.buttons_of(section) if section is not None else []
        place = stops.index(focused) if focused in stops else -1
        if focused is not self and place < 0:
            return super().focusNextPrevChild(is_next)
        following = place + (1 if is_next else -1)
        if place >= 0 and following < 0:
            self.setFocus(Qt.FocusReason.BacktabFocusReason)
            return True
        if 0 <= following < len(stops):
            stops[following].setFocus(Qt.FocusReason.TabFocusReason if is_next else Qt.FocusReason.BacktabFocusReason)
            self._bring(stops[following])
            return True
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        return super().focusNextPrevChild(is_next)

    def _bring_message(self) -> None:
        """Only what is in view has its buttons."""
        rect = self.rect_of_section(self.focus_index) if len(self.sections) else None
        if rect is not None and not rect.intersects(self.viewport().rect()):
            self.show_rect(QRectF(rect))

    def _bring(self, button: QWidget) -> None:
        """Under a long message it may stand below the view."""
        corner = button.mapTo(self.viewport(), QPoint())
        self.show_rect(QRectF(QRect(corner, button.size())))

    # Pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.has_keyboard_focus = False
        self.focus_index, self.focus_block = self._rows.hovered, -1
        self._mouse.press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._mouse.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._mouse.release(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Sideways where the block under the pointer can, else the whole text."""
        pixels = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta() / 2
        is_sideways = abs(pixels.x()) > abs(pixels.y()) or event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if is_sideways and self._scroll_block(event.position(), -(pixels.x() or pixels.y())):
            event.accept()
        elif not is_sideways:
            super().wheelEvent(event)

    def _scroll_block(self, point: QPointF, pixels: float) -> bool:
        under = self.block_at(point)
        if under is None:
            return False
        has_moved = self.sections[under[0]].blocks[under[1]].scroll_by(under[2], pixels)
        self.viewport().update(self.rect_of_block(under[0], under[1]).toAlignedRect())
        return has_moved

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._mouse.leave()
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), plain_tooltip(self._mouse.link), self)
            return True
        return super().viewportEvent(event)
