"""WindowSettings: the settings of a window, made when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QWidget

from app.settings.appearance_page import NAME as APPEARANCE
from app.settings.appearance_page import AppearancePage
from app.settings.general_page import NAME as GENERAL
from app.settings.general_page import GeneralPage
from app.settings.preferences import Settings
from app.settings.window import PageEntry, SettingsWindow
from app.theme.theme import Theme

MODELS, DRAFTERS, CACHE = "Models and presets", "Drafters", "Prompt cache"
TEMPLATES, STATISTICS, SHORTCUTS, PRIVACY = "Templates", "Statistics", "Shortcuts", "Data and privacy"
ORDER = (GENERAL, APPEARANCE, MODELS, DRAFTERS, CACHE, TEMPLATES, STATISTICS, SHORTCUTS, PRIVACY)


class WindowSettings:
    """Pages may be added until the window is shown."""

    def __init__(self, theme: Theme, settings: Settings, parent: QWidget) -> None:
        self._theme = theme
        self._settings = settings
        self._parent = parent
        self._entries: dict[str, PageEntry] = {}
        self.window: SettingsWindow | None = None
        self.add(
            PageEntry(GENERAL, "settings", lambda: GeneralPage(theme, settings)),
            PageEntry(APPEARANCE, "sidebar", lambda: AppearancePage(theme, settings)),
        )

    def add(self, *entries: PageEntry) -> None:
        """One of the same name takes the place of the other."""
        self._entries |= {entry.name: entry for entry in entries}

    def show(self, name: str = "") -> None:
        """The page of this name, or the last one."""
        if self.window is None:
            self.window = SettingsWindow(self._theme, self._settings, self._in_order(), self._parent)
        self.window.show_page(name)

    def close(self) -> None:
        if self.window is not None:
            self.window.close()

    def _in_order(self) -> list[PageEntry]:
        names: Iterable[str] = (*ORDER, *(name for name in self._entries if name not in ORDER))
        return [self._entries[name] for name in names if name in self._entries]
