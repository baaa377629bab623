"""Waiting: lets a message go that waited for a reply to end, once it is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.chat.composer_sending import offer_of, too_long_words
from app.chat.draft import Draft
from app.tasks import start
from engine.messages import TokenCount

if TYPE_CHECKING:
    from app.chat.composer import Composer


class Waiting(QObject):
    """The chat has grown since such a message was written, so that it may not fit any more."""

    def __init__(self, composer: Composer) -> None:
        super().__init__(composer)
        self._composer = composer

    def send_next(self) -> None:
        """At the end of a reply: what has waited longest and is not held."""
        if (draft := self._composer.queued.next_draft()) is not None:
            self.send(draft)

    def send(self, draft: Draft) -> None:
        """Send a message whose chip is still there; one that cannot go stays a chip, with the reason."""
        counting = self._composer.counting
        if counting is None or counting.surely_fits(draft):
            self._let_go(draft)
        else:
            start(self._count_and_send(draft))

    async def _count_and_send(self, draft: Draft) -> None:
        composer, counting = self._composer, self._composer.counting
        count = await counting.count(draft) if counting else None
        if counting is not None and counting.is_closed:  # with the tab, whose messages are kept for the next time
            return
        if composer.is_busy or draft not in composer.queued.drafts:
            return
        if count is None or count.num_tokens < count.context_length:
            self._let_go(draft)
        else:
            self._refuse(draft, count)

    def _let_go(self, draft: Draft) -> None:
        composer = self._composer
        if composer.refuses():
            composer.hold()
            composer.queued.explain(draft, composer.note.text)
        elif composer.queued.take(draft):
            composer.field.history.add(draft.text)
            composer.sent.emit(draft)

    def _refuse(self, draft: Draft, count: TokenCount) -> None:
        composer, reason = self._composer, too_long_words(count)
        composer.queued.hold()
        composer.queued.explain(draft, reason)
        composer.note.tell(
            f"The waiting message was not sent. {reason}",
            offer_of(count),
            lambda: composer.leave_out_asked.emit(count.num_left_out),
            is_alert=True,
        )
        composer.changed.emit()
