"""ModelPopovers: what the model chip of every chat opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from shiboken6 import isValid

from app.chat.plan import Planner
from app.chat.preset_menu import fill_presets
from app.chat.tab import ChatTab
from app.library.fit import contexts_of
from app.library.found_model import FoundModel
from app.models.chooser import ModelChooser
from app.models.rows import ChatDeeds, model_rows
from app.popover.popover import Popover
from app.popover.rows import PopoverRow
from app.settings.preferences import Settings
from app.theme.theme import Theme


class ModelPopovers(QObject):
    """`models` is asked whenever one opens, and `refusal_of` why a model cannot be used, "" where it can.

    `show_models` and `show_presets` open the pages, where there are any.
    """

    opened = Signal()

    def __init__(
        self, theme: Theme, chooser: ModelChooser, planner: Planner, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.models: Callable[[], Sequence[FoundModel]] = tuple
        self.refusal_of: Callable[[FoundModel], str] = lambda model: model.refusal
        self.show_models: Callable[[], object] | None = None
        self.show_presets: Callable[[], object] = lambda: None
        self.models_keys = ""
        self._theme = theme
        self._chooser = chooser
        self._planner = planner
        self._settings = settings
        self._refresh: Callable[[], object] = lambda: None  # of the one that is open
        chooser.changed.connect(self.refresh)

    def serve(self, tab: ChatTab) -> None:
        tab.composer.foot.model_asked.connect(lambda: self.open(tab))

    def open(self, tab: ChatTab) -> Popover:
        popover = Popover(self._theme, "Model", tab.composer.foot.model_chip)
        self._refresh = lambda: popover.set_rows(self._rows(tab, popover)) if isValid(popover) else None
        self._refresh()
        self.opened.emit()
        popover.pop_up()
        return popover

    def refresh(self) -> None:
        """A load that goes on behind the one that is open is seen, and what is found to need too much."""
        self._refresh()

    def _rows(self, tab: ChatTab, popover: Popover) -> list[PopoverRow]:
        chooser = self._chooser
        own = chooser.facts.context_length if chooser.facts else 0
        chosen = self._settings.preferences.model(chooser.target).context_length
        deeds = ChatDeeds(
            tab.session.preset_in_use.name,
            lambda: self._open_presets(tab, popover),
            min(chosen or own, own),
            lambda: self._open_contexts(popover, own),
            self.show_models,
            self.models_keys,
        )
        return model_rows(chooser, self.models(), deeds, self.refusal_of)

    def _open_presets(self, tab: ChatTab, popover: Popover) -> None:
        menu = QMenu("Preset", popover)
        fill_presets(menu, tab.session, self.show_presets)
        popover.open_beside(menu)

    def _open_contexts(self, popover: Popover, own: int) -> None:
        menu = QMenu("Context", popover)
        chosen = self._settings.preferences.model(self._chooser.target).context_length
        for length in contexts_of(own):
            is_all = length == own
            action = QAction(f"{length:,} tokens, all that it reads" if is_all else f"{length:,} tokens", menu)
            action.setCheckable(True)
            action.setChecked(length == (chosen or own))
            action.triggered.connect(partial(self._choose_context, 0 if is_all else length))
            menu.addAction(action)
        menu.addSeparator()
        menu.addAction("The choice is for this model, from the next reply.").setEnabled(False)
        popover.open_beside(menu)

    def _choose_context(self, length: int, checked: bool = False) -> None:
        target = self._chooser.target
        choice = self._settings.preferences.model(target)
        self._settings.change_model(target, replace(choice, context_length=length))
