"""WindowSettings: the settings of a window, made when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QWidget

from app.action_keys import ActionKeys
from app.cache_limits import CacheLimits
from app.library.hub import Hub
from app.settings.appearance_page import NAME as APPEARANCE
from app.settings.appearance_page import AppearancePage
from app.settings.general_page import NAME as GENERAL
from app.settings.general_page import GeneralPage
from app.settings.preferences import Preferences, Settings
from app.settings.privacy_page import NAME as PRIVACY
from app.settings.privacy_page import PrivacyDeeds, PrivacyPage
from app.settings.prompt_cache_page import NAME as CACHE
from app.settings.prompt_cache_page import CacheSources, PromptCachePage
from app.settings.shortcuts_page import NAME as SHORTCUTS
from app.settings.shortcuts_page import ShortcutsPage
from app.settings.statistics_page import NAME as STATISTICS
from app.settings.statistics_page import StatisticsSettings
from app.settings.window import PageEntry, SettingsWindow
from app.statistics.rates import LiveWindow
from app.theme.theme import Theme

MODELS, DRAFTERS = "Models and presets", "Drafters"
TEMPLATES = "Templates"
ORDER = (GENERAL, APPEARANCE, MODELS, DRAFTERS, CACHE, TEMPLATES, STATISTICS, SHORTCUTS, PRIVACY)


class WindowSettings:
    """Pages may be added until the window is shown."""

    def __init__(
        self, theme: Theme, settings: Settings, cache: CacheSources, privacy: PrivacyDeeds, parent: QWidget
    ) -> None:
        self._theme = theme
        self._settings = settings
        self._parent = parent
        self._entries: dict[str, PageEntry] = {}
        self.keys = ActionKeys(settings, parent)
        self.hub = Hub(settings, parent)
        CacheLimits(settings, cache.bridge, parent)
        self.window: SettingsWindow | None = None
        self.add(
            PageEntry(GENERAL, "settings", lambda: GeneralPage(theme, settings)),
            PageEntry(APPEARANCE, "sidebar", lambda: AppearancePage(theme, settings)),
            PageEntry(CACHE, "cache", lambda: PromptCachePage(theme, settings, cache)),
            PageEntry(
                STATISTICS, "statistics", lambda: StatisticsSettings(theme, settings, cache.database, cache.catalogue)
            ),
            PageEntry(SHORTCUTS, "more", lambda: ShortcutsPage(theme, self.keys)),
            PageEntry(PRIVACY, "folder", lambda: PrivacyPage(theme, settings, self.hub, privacy)),
        )

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
        return page if isinstance(page, PromptCachePage) else None

    def close(self) -> None:
        if self.window is not None:
            self.window.close()

    def _in_order(self) -> list[PageEntry]:
        names: Iterable[str] = (*ORDER, *(name for name in self._entries if name not in ORDER))
        return [self._entries[name] for name in names if name in self._entries]
