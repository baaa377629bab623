"""The pages of the settings that need nothing but the settings and what every window has."""

from __future__ import annotations

from app.action_keys import ActionKeys
from app.library.hub import Hub
from app.settings import (
    appearance_page,
    general_page,
    privacy_page,
    prompt_cache_page,
    shortcuts_page,
    statistics_page,
)
from app.settings.preferences import Settings
from app.settings.sources import CacheSources, PrivacyDeeds
from app.settings.window import PageEntry
from app.theme.theme import Theme


def own_pages(
    theme: Theme, settings: Settings, cache: CacheSources, deeds: PrivacyDeeds, keys: ActionKeys, hub: Hub
) -> list[PageEntry]:
    """None is made yet."""
    database, catalogue = cache.database, cache.catalogue
    return [
        PageEntry(general_page.NAME, "settings", lambda: general_page.GeneralPage(theme, settings)),
        PageEntry(appearance_page.NAME, "sidebar", lambda: appearance_page.AppearancePage(theme, settings)),
        PageEntry(prompt_cache_page.NAME, "cache", lambda: prompt_cache_page.PromptCachePage(theme, settings, cache)),
        PageEntry(
            statistics_page.NAME,
            "statistics",
            lambda: statistics_page.StatisticsSettings(theme, settings, database, catalogue),
        ),
        PageEntry(shortcuts_page.NAME, "more", lambda: shortcuts_page.ShortcutsPage(theme, keys)),
        PageEntry(privacy_page.NAME, "folder", lambda: privacy_page.PrivacyPage(theme, settings, hub, deeds)),
    ]
