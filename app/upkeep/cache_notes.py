"""CacheNotes: what befalls the prompt cache, above the composer, with what can be done about it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.chat.notes import Action
from app.conversations.cache_keeper import CacheKeeper
from app.conversations.disk_room import LEAST_FREE
from app.figures import write_bytes
from app.tabs.teller import Teller

if TYPE_CHECKING:
    from app.settings.prompt_cache_page import PromptCachePage

FULL = "The disk of the prompt cache is full."  # as the engine begins what it says of it


class CacheNotes(QObject):
    """`show` opens the page of the prompt cache."""

    def __init__(
        self, keeper: CacheKeeper, teller: Teller, folder: Path, show: Callable[[], PromptCachePage | None]
    ) -> None:
        super().__init__(teller)
        self._teller = teller
        self._folder = folder
        self.show = show
        self._said: dict[str, str] = {}  # what was said for a sentence of the engine
        keeper.told.connect(self._say)
        keeper.untold.connect(lambda sentence: teller.unsay(self._said.pop(sentence, sentence)))

    def _open(self) -> None:
        self.show()

    def free(self) -> None:
        """Ask whether all of the prompt cache may be removed."""
        if (page := self.show()) is not None:
            page.ask_first(True)

    def _say(self, sentence: str) -> None:
        if not sentence.startswith(FULL):
            self._teller.say(sentence, Action.SHOW_CACHE, self._open)
            return
        self._said[sentence] = words = full_words(shutil.disk_usage(self._folder).free)
        self._teller.say(words, Action.FREE_CACHE, self.free)


def full_words(free_bytes: int) -> str:
    if free_bytes < LEAST_FREE:
        return "The disk is full, so prompts are not cached."
    return f"The disk has {write_bytes(free_bytes)} left, so prompts are not cached. Chats are still saved."
