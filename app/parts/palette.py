"""WindowPalette: the command palette of a window, over all that it can do and open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from app.chat.notes import Action, Note
from app.chat.preset_menu import PRESET
from app.palette.entries import Entry, Source
from app.palette.palette import CommandPalette
from app.palette.recent import read_recent, write_recent
from app.palette.sources import ActionSource, ChatSource, DrafterSource, MeasureSource, ModelSource, PresetSource
from app.settings.drafters.candidate import Candidate
from app.tasks import start

if TYPE_CHECKING:
    from app.window import MainWindow


class WindowPalette:
    """More sources may be added; each is asked whenever the palette opens."""

    def __init__(self, window: MainWindow) -> None:
        self.sources: list[Source] = []
        self._window = window
        self._folder = window.settings.folder

    def show(self) -> CommandPalette:
        window = self._window
        if not self.sources:
            self.sources = self._usual_sources()
        entries = [entry for source in self.sources for entry in source.entries()]
        keys = window.actions_of_window.palette.shortcuts()
        palette = CommandPalette(window.theme, entries, window, recent=read_recent(self._folder).keys, keys=keys)
        palette.ran.connect(self._remember)
        palette.pop_up()
        return palette

    def _usual_sources(self) -> list[Source]:
        window = self._window
        models = window.models
        return [
            ActionSource(window.actions_of_window.keys, window.actions_of_window.refresh),
            ChatSource(window.catalogue, self.go_to_chat, window.go_to_chat),
            ModelSource(models.chooser, lambda: models.popovers.models()),
            PresetSource(models.planner.presets, self._preset, self._choose_preset),
            DrafterSource(self._candidates, self._drafter, self._choose_drafter),
            MeasureSource(lambda: window.drafters.show_page()),
        ]

    def _remember(self, entry: Entry) -> None:
        write_recent(self._folder, read_recent(self._folder).with_latest(entry.key))

    def go_to_chat(self, conversation_id: str) -> None:
        """Show a chat in place of the one that is shown, unless that one is busy or has something unsent."""
        workspace = self._window.workspace
        tab = workspace.current
        is_open = any(one.session.conversation_id == conversation_id for one in workspace.tabs)
        can_go = tab is not None and not is_open and not tab.session.is_busy and not tab.composer.unsent()
        self._window.go_to_chat(conversation_id)
        if tab is None or not can_go or tab.is_untouched:  # which the workspace lets go of itself
            return

        def take() -> None:
            workspace.page_shown.disconnect(take)
            shown = workspace.current
            if shown is not None and shown.session.conversation_id == conversation_id:
                QTimer.singleShot(0, workspace, lambda: workspace.close_pages([tab]))

        workspace.page_shown.connect(take)

    # The chat that is shown

    def _preset(self) -> str | None:
        tab = self._window.workspace.current
        return tab.session.preset_in_use.id if tab is not None else None

    def _choose_preset(self, preset_id: str) -> None:
        if (tab := self._window.workspace.current) is not None:
            start(tab.session.choose_preset(preset_id), saves=True)
            name = tab.session.planner.preset_of(preset_id).name
            tab.notes.show(PRESET, Note(f"From now on this chat is answered with the preset {name}.", (Action.CLOSE,)))

    def _candidates(self) -> Sequence[Candidate]:
        picker = self._window.drafters.picker
        scan = picker.candidates.of(picker.target)
        return (*scan.fitting, *scan.misfits)

    def _drafter(self) -> str | None:
        tab, picker = self._window.workspace.current, self._window.drafters.picker
        if tab is None:
            return None
        return tab.session.drafter or tab.session.planner.stand_in or picker.choice(picker.target)

    def _choose_drafter(self, name: str) -> None:
        if (tab := self._window.workspace.current) is not None:
            tab.session.choose_drafter(name)
