"""CacheNotes: what befalls the prompt cache, above the composer, with what can be done about it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from app.chat.notes import Action
from app.conversations.cache_keeper import CacheKeeper
from app.conversations.disk_room import LEAST_FREE
from app.figures import write_bytes
from app.settings.prompt_cache import CacheDialog
from app.teller import Teller

FULL = "The disk of the prompt cache is full."  # as the engine begins what it says of it


class CacheNotes(QObject):
    def __init__(
        self, keeper: CacheKeeper, teller: Teller, folder: Path, make_dialog: Callable[[], CacheDialog]
    ) -> None:
        super().__init__(teller)
        self._teller = teller
        self._folder = folder
        self._make_dialog = make_dialog
        self._dialog: CacheDialog | None = None
        self._said: dict[str, str] = {}  # what was said for a sentence of the engine
        keeper.told.connect(self._say)
        keeper.untold.connect(lambda sentence: teller.unsay(self._said.pop(sentence, sentence)))

    def show(self) -> None:
        """Open the dialog on the prompt cache; one that is open comes to the front."""
        self._open()

    def _open(self) -> CacheDialog:
        if self._dialog is None:
            self._dialog = self._make_dialog()
            self._dialog.destroyed.connect(self._forget)
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()
        return self._dialog

    def free(self) -> None:
        """Ask whether the prompt cache may be cleared."""
        self._open().ask_first(True)

    def close(self) -> None:
        if self._dialog is not None:
            self._dialog.close()

    def _forget(self) -> None:
        self._dialog = None

    def _say(self, sentence: str) -> None:
        if not sentence.startswith(FULL):
            self._teller.say(sentence, Action.SHOW_CACHE, self.show)
            return
        self._said[sentence] = words = full_words(shutil.disk_usage(self._folder).free)
        self._teller.say(words, Action.FREE_CACHE, self.free)


def full_words(free_bytes: int) -> str:
    if free_bytes < LEAST_FREE:
        return "The disk is full, so prompts are not cached."
    return f"The disk has {write_bytes(free_bytes)} left, so prompts are not cached. Chats are still saved."
