"""Deletion: chats that are deleted go from sight at once, and from the disk when they can no longer be had back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from app.conversations.cache_keeper import CacheKeeper
from app.conversations.catalogue import Catalogue
from app.conversations.reminder import Reminder
from app.tasks import start

UNDO_MILLISECONDS = 10_000
HELD_MILLISECONDS = 250  # between two looks at a dialog that lies over the offer


class Deletion(QObject):
    """Offers back what was deleted at once: the next deletion, and the end of the program, make the last one final.

    Drafters forget a chat at once and learn from it again where it is had back; the saved prompts stay until then.
    """

    hidden = Signal(str)  # conversation id
    restored = Signal(str)  # conversation id
    offer_changed = Signal()

    def __init__(
        self, catalogue: Catalogue, reminder: Reminder, keeper: CacheKeeper, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.offered_titles: tuple[str, ...] = ()  # of the chats that can be had back
        self.offered_at = 0.0  # on the monotonic clock
        self._is_held = False  # by a dialog
        self._catalogue = catalogue
        self._reminder = reminder
        self._keeper = keeper
        self._conversation_ids: tuple[str, ...] = ()
        self._deleting: set[asyncio.Task[None]] = set()
        catalogue.finish_deletions = self.finish_all
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._take_time)

    def delete(self, conversation_ids: Sequence[str]) -> None:
        self.finish()
        for conversation_id in conversation_ids:
            self._reminder.forget(conversation_id)
        self._catalogue.hide(conversation_ids)
        for conversation_id in conversation_ids:
            self.hidden.emit(conversation_id)
        self._offer(tuple(conversation_ids))
        self.offered_at = time.monotonic()
        self._timer.start(UNDO_MILLISECONDS)

    def undo(self) -> None:
        """Have the chats back as they were; their replies were stopped."""
        if conversation_ids := self._withdraw():
            self._restore(conversation_ids)

    def finish(self) -> None:
        """Delete for good what is offered back."""
        if conversation_ids := self._withdraw():
            task = start(self._delete(conversation_ids), saves=True)
            self._deleting.add(task)
            task.add_done_callback(self._deleting.discard)

    async def finish_all(self) -> None:
        """Delete for good what is offered back, and wait until that and those before are gone."""
        self.finish()
        if self._deleting:
            await asyncio.wait(self._deleting)

    def _take_time(self) -> None:
        """The offer ends, unless a dialog hides it: its time begins again then."""
        was_held, self._is_held = self._is_held, QGuiApplication.modalWindow() is not None
        if self._is_held:
            self._timer.start(HELD_MILLISECONDS)
        elif was_held:
            self._timer.start(UNDO_MILLISECONDS)
        else:
            self.finish()

    async def _delete(self, conversation_ids: Sequence[str]) -> None:
        # First: nothing would be known to belong to them afterwards. At once: each is waited for a moment.
        await asyncio.gather(*(self._keeper.remove(one) for one in conversation_ids))
        if left := await self._catalogue.delete(conversation_ids):
            self._restore(left)

    def _restore(self, conversation_ids: Sequence[str]) -> None:
        self._catalogue.show(conversation_ids)
        for conversation_id in conversation_ids:
            self._reminder.restore(conversation_id)
            self.restored.emit(conversation_id)

    def _withdraw(self) -> tuple[str, ...]:
        self._timer.stop()
        conversation_ids = self._conversation_ids
        self._offer(())
        return conversation_ids

    def _offer(self, conversation_ids: tuple[str, ...]) -> None:
        self._conversation_ids = conversation_ids
        self.offered_titles = tuple(self._catalogue.title_of(one) for one in conversation_ids)
        self.offer_changed.emit()
