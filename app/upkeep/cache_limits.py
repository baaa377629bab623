"""CacheLimits: has the engine keep to the budget of the prompt cache that was chosen."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.bridge import EngineBridge
from app.settings.preferences import CacheChoice, Preferences, Settings
from engine.messages import CACHE_OFF, SetCacheLimits


def limits_of(choice: CacheChoice) -> SetCacheLimits:
    return SetCacheLimits(budget_bytes=choice.budget_bytes if choice.is_on else CACHE_OFF)


class CacheLimits(QObject):
    def __init__(self, settings: Settings, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._bridge = bridge
        settings.changed.connect(self._take)
        self.tell()

    def tell(self) -> None:
        """Have an engine that starts know it, the default too: the cache's folder keeps what was told before that."""
        self._bridge.send(limits_of(self._settings.preferences.cache))

    def _take(self, before: Preferences, preferences: Preferences) -> None:
        if preferences.cache != before.cache:
            self.tell()
