"""ControlRows: buttons under the messages that are in view, made once and used again."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, QRect, QTimer, Signal
from PySide6.QtWidgets import QAbstractButton

from app.chat.notes import Action
from app.chat.transcript import measures
from app.chat.transcript.controls import SectionControls
from app.chat.transcript.more_links import MoreLinks, make_link
from app.chat.transcript.painting import behind_reasons_rect, include_rect
from app.chat.transcript.section import Section
from app.chat.transcript.view import TranscriptView

COPIED_MS = 1500


class ControlRows(QObject):
    chosen = Signal(object, object)  # Section, Action
    menu_wanted = Signal(object, object, QPoint)

    def __init__(self, view: TranscriptView) -> None:
        super().__init__(view)
        self._view = view
        self._rows: list[SectionControls] = []
        self.hovered = -1  # index of the section under the pointer
        self._copied: Section | None = None
        self._copied_timer = QTimer(self)
        self._copied_timer.setSingleShot(True)
        self._copied_timer.setInterval(COPIED_MS)
        self._copied_timer.timeout.connect(lambda: self._mark(None))
        self._include = make_link(Action.INCLUDE.value, "Include all messages in the prompt", view)
        self._include.clicked.connect(self._choose_include)
        self._stop = make_link("Stop", "Stop the check of this reply", view)
        self._stop.clicked.connect(self._choose_stop)
        self._more = MoreLinks(view)
        self._more.chosen.connect(lambda section: self.chosen.emit(section, Action.DETAILS))
        view.moved.connect(self.place)

    def set_hovered(self, index: int) -> None:
        self.hovered = index
        self.place()

    def place(self) -> None:
        """Lay a row under every message in view that has one; a row keeps its message as long as that is seen."""
        view = self._view
        height = view.viewport().height()
        shown = {
            id(view.sections[index]): index
            for index in view.sections.between(view.offset, view.offset + height)
            if self._has_row(index)
        }
        free = [row for row in self._rows if id(row.section) not in shown]
        for row in self._rows:
            if row not in free:
                self._show(row, shown.pop(id(row.section)))
        for index in shown.values():
            self._show(free.pop() if free else self._make(), index)
        for row in free:
            row.section = None
            row.hide()
        self._place_include()
        self._place_stop()
        self._more.place()

    def _place_include(self) -> None:
        """Behind the line that says which messages the prompt has not."""
        view = self._view
        marked = [place for place, section in enumerate(view.sections) if section.num_left_out_above]
        self._include.setVisible(bool(marked))
        for index in marked:
            place = include_rect(view.sections.column, view.sections[index].num_left_out_above)
            left = view.column_left + round(place.left())
            top = round(view.sections.tops[index] + place.top()) - view.offset
            self._include.setGeometry(QRect(left, top, measures.INCLUDE_WIDTH, measures.ROW))

    def _place_stop(self) -> None:
        """Behind the line that says how far a check is."""
        view = self._view
        index = next((place for place, section in enumerate(view.sections) if _has_stop(section)), -1)
        self._stop.setVisible(index >= 0)
        if index >= 0:
            place = behind_reasons_rect(view.sections[index])
            place.translate(view.column_left, round(view.sections.tops[index]) - view.offset)
            self._stop.setGeometry(place.toRect())

    def _choose_stop(self) -> None:
        """A check that is asked for while it runs ends."""
        checked = next((section for section in self._view.sections if _has_stop(section)), None)
        if checked is not None:
            self.chosen.emit(checked, Action.CHECK)

    def _choose_include(self) -> None:
        marked = [section for section in self._view.sections if section.num_left_out_above]
        if marked:
            self.chosen.emit(marked[0], Action.INCLUDE)

    def row_of(self, section: Section) -> SectionControls | None:
        return next((row for row in self._rows if row.section is section and not row.isHidden()), None)

    def stops_of(self, section: Section) -> list[QAbstractButton]:
        row = self.row_of(section)
        first: list[QAbstractButton] = [self._include] if section.num_left_out_above else []
        last: list[QAbstractButton] = [self._stop] if _has_stop(section) else self._more.of(section)
        return first + (row.stops() if row else []) + last

    def show_copied(self, section: Section) -> None:
        """A check in the place of Copy, for a moment."""
        self._mark(section)
        self._copied_timer.start()

    def _mark(self, section: Section | None) -> None:
        self._copied = section
        for row in self._rows:
            row.set_copied(section is not None and row.section is section)

    def _has_row(self, index: int) -> bool:
        section = self._view.sections[index]
        has_numbers = section.is_reply and section.latest.num_tokens > 0
        return has_numbers or len(section.siblings) > 1 or self._has_actions(index)

    def _has_actions(self, index: int) -> bool:
        view = self._view
        section = view.sections[index]
        if section.message.role == "system" or section.is_running:
            return False
        is_last_reply = section.is_reply and index >= len(view.sections) - 1
        is_focused = view.has_keyboard_focus and index == view.focus_index and self._has_keyboard()
        return is_last_reply or index == self.hovered or is_focused

    def _has_keyboard(self) -> bool:
        focus = self._view.window().focusWidget() if self._view.window() else None
        return focus is not None and (focus is self._view or self._view.isAncestorOf(focus))

    def _make(self) -> SectionControls:
        row = SectionControls(self._view.theme, self._view.viewport())
        row.chosen.connect(self.chosen)
        row.menu_wanted.connect(self.menu_wanted)
        self._rows.append(row)
        return row

    def _show(self, row: SectionControls, index: int) -> None:
        view = self._view
        section = view.sections[index]
        row.show_section(section, has_actions=self._has_actions(index), is_last=section is view.last)
        row.set_copied(section is self._copied)
        top = round(view.sections.tops[index] + section.parts.row) - view.offset
        row.setGeometry(QRect(view.column_left, top, round(view.sections.column), measures.ROW))
        focus = view.window().focusWidget()  # once it is elsewhere Tab comes to them by the transcript again, not late
        is_focused = index == view.focus_index and focus is not None and (focus is view or view.isAncestorOf(focus))
        for button in row.findChildren(QAbstractButton):
            policy = button.focusPolicy()
            wanted = policy.TabFocus if is_focused else policy.NoFocus
            if policy != wanted:
                button.setFocusPolicy(wanted)
        row.show()


def _has_stop(section: Section) -> bool:
    return section.can_stop and bool(section.reasons)
