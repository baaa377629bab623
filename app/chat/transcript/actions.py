"""TranscriptActions: what can be done with messages and with what is marked: copying, menus, details."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QPointF, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
)
from PySide6.QtWidgets import QMenu, QWidget

from app.chat.attachments_view import show_attachment
from app.chat.blocks.attachments_block import AttachmentsBlock
from app.chat.notes import Action
from app.chat.transcript import menus
from app.chat.transcript.copying import Copying, source_of, text_of
from app.chat.transcript.mouse import Mouse
from app.chat.transcript.rows import ControlRows
from app.chat.transcript.section import Section
from app.chat.transcript.view import TranscriptView
from app.theme.pulse import Pulse
from app.theme.theme import Theme


class TranscriptActions(TranscriptView):
    action_chosen = Signal(object, str)  # Action, id of the message

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(theme, pulse, parent)
        self._rows = ControlRows(self)
        self._rows.chosen.connect(self._act)
        self._rows.menu_wanted.connect(self._show_action_menu)
        self._mouse = Mouse(self)
        self._mouse.section_hovered.connect(self._rows.set_hovered)
        self._mouse.block_pressed.connect(self.take_press)
        self._mouse.selected.connect(self._offer_selection)
        self._copying = Copying(self)

    # Actions

    def toggle_details(self, message_id: str) -> None:
        """Show or hide all numbers of a reply, as text under its strip."""
        index = self.sections.find(message_id)
        if index is None:
            return
        section = self.sections[index]
        if section.is_reply and section.latest.num_tokens:
            self.selection.clear()
            self.hold_here(lambda: self._toggle_details(section))

    def set_rate(self, rate: float | None) -> None:
        """The rate of the reply that runs, as all who show it do; from then on it is not measured here."""
        section = self.last
        if section is not None and section.is_running:
            section.rate, section.is_rate_told = rate, True
            self.update_section(len(self.sections) - 1)

    def toggle_last_details(self) -> None:
        """Show or hide the numbers of the last reply."""
        replies = [section for section in self.sections if section.is_reply]
        if replies:
            self.toggle_details(replies[-1].message.id)

    def _toggle_details(self, section: Section) -> None:
        section.toggle_details()
        self.sections.place_again(self.sections.items.index(section))

    def _act(self, section: Section, action: Action) -> None:
        if action is Action.COPY:
            self._copying.copy(iter([source_of(section)]))
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

    def _offer_selection(self) -> None:
        """Where the system pastes what is marked with the middle button."""
        clipboard = QGuiApplication.clipboard()
        if clipboard.supportsSelection():
            self._copying.copy(self.selection.copied(as_markdown=False), clipboard.Mode.Selection)

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
        """A block took a click: it asks for something to be shown, or it and those under it have other heights."""
        section = self.sections[index]
        shown = section.blocks[block]
        if isinstance(shown, AttachmentsBlock) and shown.pressed is not None:
            show_attachment(shown.pressed, self)
            return
        section.contents.keep_choice(block)
        self.hold_here(lambda: self.make_from(index, block))

    def make_from(self, index: int, block: int) -> None:
        section = self.sections[index]
        if not section.is_made or block < len(section.body.blocks):
            section.make(block)
        self.sections.place_again(index)

    # Menus

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:  # the text may have moved under a pointer that did not
            self._mouse.hover(QPointF(self.viewport().mapFromGlobal(event.globalPos())))
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
        is_last = section is self.last
        choose = partial(self._act, section)
        menus.add_actions(menu, section, choose, is_tinted=self.is_tinted, is_last=is_last)

    def _fill_copies(self, menu: QMenu, section: Section) -> None:
        kind = "reply" if section.is_reply else "message"
        menus.fill(
            menu,
            (f"Copy {kind} as text", lambda: self._copying.copy(text_of(section))),
            (f"Copy {kind} as Markdown", lambda: self._copying.copy(iter([source_of(section)]))),
        )

    def _show_action_menu(self, section: Section, action: Action, place: QPoint) -> None:
        menu = menus.make_menu(self)
        if action is Action.COPY:
            self._fill_copies(menu, section)
        else:
            self._fill_with(menu, section)
        menu.popup(place)
