"""Looks of the window: what was chosen of them acts at once, on everything that is open."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject

from app.chat.transcript import Column
from app.parts.statistics import WindowStatistics
from app.settings.preferences import Looks, Preferences, Settings
from app.tabs.workspace import Workspace
from app.theme.appearance import step_text_size, take_appearance, within_sizes
from app.theme.pulse import Pulse
from app.theme.theme import Theme


def begin_looks(theme: Theme, settings: Settings) -> None:
    """Before anything is made that has a size."""
    size = take_appearance(settings.folder)
    if size is not None:
        change_looks(settings, replace(settings.preferences.looks, text_size=size))
    looks = settings.preferences.looks
    theme.set_text_size(within_sizes(looks.text_size))
    theme.choose_scheme(looks.scheme)
    Column.most = looks.column_width


def change_looks(settings: Settings, looks: Looks) -> None:
    settings.change(replace(settings.preferences, looks=looks))


class LooksKeeper(QObject):
    def __init__(
        self, settings: Settings, theme: Theme, pulse: Pulse, workspace: Workspace, statistics: WindowStatistics
    ) -> None:
        super().__init__(workspace)
        self._settings = settings
        self._theme = theme
        self._pulse = pulse
        self._workspace = workspace
        self._statistics = statistics
        settings.changed.connect(self._take)
        statistics.tint_changed.connect(self._keep_tint)
        pulse.set_still(settings.preferences.looks.reduces_motion)
        statistics.set_tint(settings.preferences.looks.tints)

    def step_text_size(self, steps: int) -> None:
        """Larger by so many steps; 0 goes back to 100 %."""
        looks = self._settings.preferences.looks
        change_looks(self._settings, replace(looks, text_size=step_text_size(looks.text_size, steps)))

    def _take(self, before: Preferences, preferences: Preferences) -> None:
        old, looks = before.looks, preferences.looks
        if looks.scheme != old.scheme:
            self._theme.choose_scheme(looks.scheme)
        if looks.text_size != old.text_size:
            self._theme.set_text_size(within_sizes(looks.text_size))
        if looks.column_width != old.column_width:
            Column.most = looks.column_width
            self._workspace.alike.fit_column()
        self._pulse.set_still(looks.reduces_motion)
        self._statistics.set_tint(looks.tints)

    def _keep_tint(self, is_tinted: bool) -> None:
        """What the menu or the inspector switches stays for the next start."""
        change_looks(self._settings, replace(self._settings.preferences.looks, tints=is_tinted))
