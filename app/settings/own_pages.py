"""The pages of the settings that need nothing but the settings and what every window has."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.frame.action_keys import ActionKeys
from app.library.hub import Hub
from app.settings.preferences import Settings
from app.settings.sources import CacheSources, PrivacyDeeds
from app.settings.window import PageEntry
from app.theme.theme import Theme
from app.updates.updates import Updates

# Each module is imported with its page: all of them at once would hold the window up.


def own_pages(
    theme: Theme,
    settings: Settings,
    cache: CacheSources,
    deeds: PrivacyDeeds,
    keys: ActionKeys,
    hub: Hub,
    updates: Updates,
) -> list[PageEntry]:
    """None is made yet."""

    def general() -> QWidget:
        from app.settings.general_page import GeneralPage

        return GeneralPage(theme, settings)

    def appearance() -> QWidget:
        from app.settings.appearance_page import AppearancePage

        return AppearancePage(theme, settings)

    def prompt_cache() -> QWidget:
        from app.settings.prompt_cache_page import PromptCachePage

        return PromptCachePage(theme, settings, cache)

    def statistics() -> QWidget:
        from app.settings.statistics_page import StatisticsSettings

        return StatisticsSettings(theme, settings, cache.database, cache.catalogue)

    def shortcuts() -> QWidget:
        from app.settings.shortcuts_page import ShortcutsPage

        return ShortcutsPage(theme, keys)

    def privacy() -> QWidget:
        from app.settings.form import Heading
        from app.settings.privacy_page import PrivacyPage
        from app.updates.update_card import UpdateCard

        page, card = PrivacyPage(theme, settings, hub, deeds), UpdateCard(theme, settings, updates)
        page.add(Heading("Updates"))
        page.add(card)
        page.restore_asked.connect(card.restore)
        return page

    return [
        PageEntry("General", "settings", general),
        PageEntry("Appearance", "sidebar", appearance),
        PageEntry("Prompt cache", "cache", prompt_cache),
        PageEntry("Statistics", "statistics", statistics),
        PageEntry("Shortcuts", "more", shortcuts),
        PageEntry("Data and privacy", "folder", privacy),
    ]
