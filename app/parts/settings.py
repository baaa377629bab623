"""WindowSettings: the settings of a window, made when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from PySide6.QtWidgets import QWidget

from app.frame.action_keys import ActionKeys
from app.library.hub import Hub
from app.settings.preferences import Preferences, Settings
from app.settings.sources import CacheSources, PrivacyDeeds
from app.settings.window import PageEntry, SettingsWindow
from app.statistics.rates import LiveWindow
from app.theme.theme import Theme
from app.updates.updates import Updates

if TYPE_CHECKING:
    from app.settings.prompt_cache_page import PromptCachePage

MODELS, DRAFTERS, CACHE, TEMPLATES = "Models and presets", "Drafters", "Prompt cache", "Templates"
ORDER = (
    *("General", "Appearance", MODELS, DRAFTERS, CACHE),
    *(TEMPLATES, "Statistics", "Shortcuts", "Data and privacy"),
)


class WindowSettings:
    """Pages may be added until the window is shown."""

    def __init__(
        self, theme: Theme, settings: Settings, cache: CacheSources, privacy: PrivacyDeeds, parent: QWidget
    ) -> None:
        self._theme = theme
        self._settings = settings
        self._sources = cache
        self._deeds = privacy
        self._parent = parent
        self._entries: dict[str, PageEntry] = {}
        self.keys = ActionKeys(settings, parent)
        self.hub = Hub(settings, parent)
        self.updates = Updates(settings, self.hub, parent)
        self.window: SettingsWindow | None = None
        settings.changed.connect(self._take)
        self._take(settings.preferences, settings.preferences)

    def _take(self, before: Preferences, preferences: Preferences) -> None:
        LiveWindow.seconds = float(preferences.statistics.live_seconds)

    def add(self, *entries: PageEntry) -> None:
        """One of the same name takes the place of the other."""
        self._entries |= {entry.name: entry for entry in entries}

    def show(self, name: str = "") -> None:
        """The page of this name, or the last one."""
        if self.window is None:
            self.window = SettingsWindow(self._theme, self._settings, self._in_order(), self._parent)
        self.window.show_page(name)

    def show_cache(self) -> PromptCachePage | None:
        self.show(CACHE)
        page = self.window.made_page(CACHE) if self.window is not None else None
        return cast("PromptCachePage | None", page)

    def close(self) -> None:
        if self.window is not None:
            self.window.close()

    def _in_order(self) -> list[PageEntry]:
        from app.settings.own_pages import own_pages  # not with the program, which is to start in a second

        own = own_pages(self._theme, self._settings, self._sources, self._deeds, self.keys, self.hub, self.updates)
        entries = {entry.name: entry for entry in own} | self._entries
        names: Iterable[str] = (*ORDER, *(name for name in entries if name not in ORDER))
        return [entries[name] for name in names if name in entries]
