"""DrafterPopovers: what the drafter chip of every chat says and opens."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from shiboken6 import isValid

from app.chat.tab import ChatTab
from app.models.drafter_rows import NOT_MEASURED, DrafterDeeds, chip_words, drafter_rows
from app.popover.popover import Popover
from app.popover.rows import PopoverRow
from app.settings.drafters.picker import Picker
from app.settings.preferences import AUTOMATIC
from app.theme.theme import Theme


class DrafterPopovers(QObject):
    """`show_all` opens the page of the drafters."""

    def __init__(
        self, theme: Theme, picker: Picker, show_all: Callable[[], object], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._action: QAction | None = None  # that opens the page
        self._theme = theme
        self._picker = picker
        self._show_all = show_all
        self._with_misfits: Popover | None = None  # the one that shows what does not fit

    def follow(self, action: QAction) -> None:
        """Show its keys beside what opens the page."""
        self._action = action

    def serve(self, tab: ChatTab) -> None:
        tab.composer.foot.drafter_asked.connect(lambda: self.open(tab))
        connections = (
            tab.session.choices_changed.connect(lambda: self._label(tab)),
            self._picker.changed.connect(lambda: self._label(tab)),
        )
        tab.destroyed.connect(lambda: [QObject.disconnect(one) for one in connections])
        self._label(tab)

    def _label(self, tab: ChatTab) -> None:
        if isValid(tab):
            drafter = tab.session.planner.resolve(tab.session.drafter)
            words, speed = chip_words(self._picker, self._picker.target, drafter)
            tab.composer.foot.set_drafter(
                words, speed, is_own=bool(tab.session.drafter), is_measured=speed != NOT_MEASURED
            )

    def open(self, tab: ChatTab) -> Popover:
        popover = Popover(self._theme, "Drafter", tab.composer.foot.drafter_chip)
        popover.set_rows(self._rows(tab, popover))
        connection = self._picker.changed.connect(lambda: self._refresh(popover, tab))
        popover.destroyed.connect(lambda: QObject.disconnect(connection))
        popover.pop_up()
        return popover

    def _refresh(self, popover: Popover, tab: ChatTab) -> None:
        if isValid(popover) and popover.isVisible():
            popover.set_rows(self._rows(tab, popover))

    def _rows(self, tab: ChatTab, popover: Popover) -> list[PopoverRow]:
        session, stand_in = tab.session, tab.session.planner.stand_in

        def choose(drafter: str) -> None:
            session.choose_drafter(drafter or (AUTOMATIC if stand_in else ""))

        written = QKeySequence.SequenceFormat.NativeText
        keys = self._action.shortcut().toString(written) if self._action else ""
        deeds = DrafterDeeds(choose, lambda: self._show_misfits(popover, tab), self._show_all, keys)
        return drafter_rows(
            self._picker,
            self._picker.target,
            session.drafter or stand_in,
            deeds,
            used=(message.drafter for message in session.messages),
            shows_misfits=popover is self._with_misfits,
        )

    def _show_misfits(self, popover: Popover, tab: ChatTab) -> None:
        self._with_misfits = popover
        self._refresh(popover, tab)
