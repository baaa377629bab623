"""TranscriptHands: what a reader does in the transcript: pointing, keys, actions, copying, finding."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from app.chat.notes import Action
from app.chat.transcript import accessibility, menus
from app.chat.transcript.copying import Copying, text_of
from app.chat.transcript.find import Hit
from app.chat.transcript.keyboard import Keyboard
from app.chat.transcript.mouse import Mouse
from app.chat.transcript.rows import ControlRows
from app.chat.transcript.section import Section
from app.chat.transcript.view import TranscriptView
from app.theme.buttons import KEYBOARD_REASONS
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from app.tooltips import plain_tooltip


class TranscriptHands(TranscriptView):
    action_chosen = Signal(object, str)  # Action, id of the message
    found_changed = Signal(int, int)  # hits, and which of them is current, from 1; 0 where none is

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(theme, pulse, parent)
        self._rows = ControlRows(self)
        self._rows.chosen.connect(self._act)
        self._rows.menu_wanted.connect(self._show_action_menu)
        self._mouse = Mouse(self)
        self._mouse.section_hovered.connect(self._rows.set_hovered)
        self._mouse.block_pressed.connect(self.take_press)
        self._keyboard = Keyboard(self)
        self._copying = Copying(self)
        self.finder.changed.connect(self._take_found)

    # Actions

    def toggle_details(self, message_id: str) -> None:
        """Show or hide all numbers of a reply that has ended, as text under its strip."""
        index = self.sections.find(message_id)
        if index is None:
            return
        section = self.sections[index]
        if not section.is_running and section.is_reply and section.statistics.num_tokens:
            self.selection.clear()
            self.hold(lambda: self._toggle_details(section))

    def toggle_last_details(self) -> None:
        """Show or hide the numbers of the last reply."""
        replies = [section for section in self.sections if section.is_reply]
        if replies:
            self.toggle_details(replies[-1].message.id)

    def _toggle_details(self, section: Section) -> None:
        self.is_end_in_view = False  # what opens is looked at from where it opens
        section.toggle_details()
        self.sections.place_all()

    def _act(self, section: Section, action: Action) -> None:
        if action is Action.COPY:
            self._copying.copy(iter([section.text]))
            self._rows.show_copied(section)
        elif action is Action.DETAILS:
            self.toggle_details(section.message.id)
        else:
            self.action_chosen.emit(action, section.message.id)

    def _act_on_note(self, action: Action) -> None:
        if self.last is not None:
            self.action_chosen.emit(action, self.last.message.id)

    def copy(self) -> None:
        """What is marked, as text; without that, the message that the keyboard is at."""
        if not self.selection.is_empty:
            self._copying.copy(self.selection.copied(as_markdown=False))
        elif 0 <= self.focus_index < len(self.sections):
            self._copy_focused(self.sections[self.focus_index])

    def copy_markdown(self) -> None:
        self._copying.copy(self.selection.copied(as_markdown=True))

    def _copy_focused(self, section: Section) -> None:
        blocks = section.blocks
        if 0 <= self.focus_block < len(blocks):
            block = blocks[self.focus_block]
            self._copying.copy(iter([block.text(0, block.length)]))
        else:
            self._copying.copy(text_of(section))
            self._rows.show_copied(section)

    def selectAll(self) -> None:
        self.selection.select_all()
        self.viewport().update()

    def selected_text(self) -> str:
        return "\n\n".join(self.selection.copied(as_markdown=False))

    def take_press(self, index: int, block: int) -> None:
        """A block took a click: it and those under it may have other heights."""
        section = self.sections[index]
        section.contents.keep_choice(block)
        self.is_end_in_view = False
        self.hold(lambda: self._make_from(index, block))

    def _make_from(self, index: int, block: int) -> None:
        if block < len(self.sections[index].body.blocks):
            self.sections[index].make(block)
        self.sections.place(index)

    # Menus

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = menus.make_menu(self)
        if not self.selection.is_empty:
            menus.fill(menu, ("Copy", self.copy), ("Copy as Markdown", self.copy_markdown))
        if (link := self._mouse.link) and event.reason() == QContextMenuEvent.Reason.Mouse:
            menus.fill(menu, ("Copy link address", lambda: QGuiApplication.clipboard().setText(link)))
        menus.fill(menu, ("Select all", self.selectAll))
        index, place = self._menu_place(event)
        if 0 <= index < len(self.sections):
            menu.addSeparator()
            self._fill_with(menu, self.sections[index])
        menu.popup(place)

    def _menu_place(self, event: QContextMenuEvent) -> tuple[int, QPoint]:
        """The message that a menu is for, and where it opens."""
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            return self._rows.hovered, event.globalPos()
        rect = self.rect_of_section(self.focus_index) if 0 <= self.focus_index < len(self.sections) else self.rect()
        return self.focus_index, self.viewport().mapToGlobal(rect.intersected(self.viewport().rect()).topLeft())

    def _fill_with(self, menu: QMenu, section: Section) -> None:
        self._fill_copies(menu, section)
        menu.addSeparator()
        menus.add_actions(menu, section, lambda action: self._act(section, action), is_tinted=self.is_tinted)

    def _fill_copies(self, menu: QMenu, section: Section) -> None:
        kind = "reply" if section.is_reply else "message"
        menus.fill(
            menu,
            (f"Copy {kind} as text", lambda: self._copying.copy(text_of(section))),
            (f"Copy {kind} as Markdown", lambda: self._copying.copy(iter([section.text]))),
        )

    def _show_action_menu(self, section: Section, action: Action, place: QPoint) -> None:
        menu = menus.make_menu(self)
        if action is Action.COPY:
            self._fill_copies(menu, section)
        else:
            self._fill_with(menu, section)
        menu.popup(place)

    # Finding

    def find(self, words: str) -> int:  # type: ignore[override]  # QWidget's looks up window ids
        """Mark every place that has these words; returns how many there are, `found_changed` tells of more."""
        num_found = self.finder.find(words)
        self._take_found()
        return num_found

    def step(self, by: int) -> None:
        """Go to another hit."""
        self._show_hit(self.finder.step(by))

    def clear(self) -> None:
        """Mark no hits any more."""
        self.finder.clear()

    def _take_found(self) -> None:
        hit = self.finder.current
        if hit is not None and not self.finder.is_searching:
            self._show_hit(hit)
        self.found_changed.emit(len(self.finder.hits), self.finder.place + 1)
        self.viewport().update()

    def _show_hit(self, hit: Hit | None) -> None:
        if hit is None:
            return
        top = self.sections.tops[hit.section] - self.offset if self.sections[hit.section].is_made else None
        if top is None or not self._is_seen(hit):
            self.scroll_to(hit.section, hit.block)
            self.show_rect(self._rect_of_hit(hit))
        self.viewport().update()

    def _is_seen(self, hit: Hit) -> bool:
        rect = self._rect_of_hit(hit)
        return rect.top() >= 0 and rect.bottom() <= self.viewport().height()

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
        section = self.sections[index]
        if not section.is_made:
            self.hold(section.make)
        self.show_rect(QRectF(self.rect_of_section(index)))
        self.settle()
        accessibility.tell_focus(self)

    def focus_on_block(self, block: int) -> None:
        """Read one block of the message, or with -1 the message."""
        self.focus_block = block
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
        if event.reason() in KEYBOARD_REASONS and self.focus_index < 0 and len(self.sections):
            self.focus_index = len(self.sections) - 1
        self._rows.place()
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        QTimer.singleShot(0, self._rows.place)
        self.viewport().update()

    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Tab goes from the message to its actions, and from the last of them out of the transcript."""
        section = self.sections[self.focus_index] if 0 <= self.focus_index < len(self.sections) else None
        stops = self.buttons_of(section) if section is not None else []
        focused = self.window().focusWidget()
        place = stops.index(focused) if focused in stops else -1
        if focused is not self and place < 0:
            return super().focusNextPrevChild(is_next)
        following = place + (1 if is_next else -1)
        if place >= 0 and following < 0:
            self.setFocus(Qt.FocusReason.BacktabFocusReason)
            return True
        if 0 <= following < len(stops):
            stops[following].setFocus(Qt.FocusReason.TabFocusReason if is_next else Qt.FocusReason.BacktabFocusReason)
            return True
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        return super().focusNextPrevChild(is_next)

    # Pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.focus_block = -1
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
