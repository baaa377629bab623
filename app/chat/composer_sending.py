"""Sending: whether a message may go, and why not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.chat.counting import Cost, Counting
from app.chat.draft import Draft
from app.figures import write_count
from engine.messages import TokenCount

if TYPE_CHECKING:
    from app.chat.composer import Composer

MOST_WAITING_MILLISECONDS = 2000  # for a count; then the engine itself judges
MOST_UNCOUNTED = 500  # characters of a draft that goes where nothing is known of the chat; the least context has more
SPARE = 64  # tokens that a template may write around a message
SHARE = 0.98  # of the context, up to which the estimate is trusted


class Sending(QObject):
    """Refuses a prompt that does not fit; one that may not fit waits until it is counted.

    No tokenizer makes more tokens of a text than it has bytes, so most drafts need no wait.
    """

    def __init__(self, composer: Composer) -> None:
        super().__init__(composer)
        self.refusal = ""  # why nothing can be sent, whatever it is
        self._composer = composer
        self._cost: Cost | None = None
        self._is_waiting = False
        self._has_waited = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(MOST_WAITING_MILLISECONDS)
        self._timer.timeout.connect(self._end_wait)

    @property
    def reason(self) -> str:
        """Why what is written cannot be sent, as far as it is known."""
        return self.refusal or self._too_long()

    def may_go(self, draft: Draft, counting: Counting | None) -> bool:
        if self.refuses():
            return False
        if counting is None or self._has_waited:
            return True
        if self._cost is not None and self._cost.draft == draft:
            return not self._cost.is_too_long
        if self._surely_fits(draft):
            return True
        if not self._is_waiting:
            self._is_waiting = True
            self._timer.start()
            counting.count_now()
        return False

    def refuses(self) -> bool:
        """Whether nothing can be sent, which is said then."""
        if self.refusal:
            self._composer.note.tell(self.refusal, is_alert=True)
        return bool(self.refusal)

    def take_cost(self, cost: Cost | None) -> None:
        """Refuse what does not fit, and let go what has waited for this."""
        self._cost = cost
        if too_long := self._too_long():
            self._refuse(too_long)
        else:
            self._composer.limit.hide()
        if self._is_waiting and (cost is None or cost.draft == self._composer.draft):
            self._end_wait()

    def _end_wait(self) -> None:
        self._timer.stop()
        if self._is_waiting:
            self._is_waiting, self._has_waited = False, True
            if not self._too_long():
                self._composer.submit()
            self._has_waited = False

    def _surely_fits(self, draft: Draft) -> bool:
        if self._cost is None:
            return len(draft.text) + sum(len(one.text) for one in draft.attachments) <= MOST_UNCOUNTED
        texts = (draft.text, *(attachment.text for attachment in draft.attachments))
        most = self._cost.num_tokens + sum(len(text.encode("utf-8", "replace")) for text in texts) + SPARE
        return most < SHARE * self._cost.count.context_length

    def _too_long(self) -> str:
        cost = self._cost
        if cost is None or not cost.is_too_long or not cost.draft:
            return ""
        return too_long_words(replace(cost.count, num_tokens=cost.num_tokens))

    def _refuse(self, sentence: str) -> None:
        assert self._cost is not None
        count, composer = self._cost.count, self._composer
        composer.limit.tell(
            sentence,
            offer_of(count),
            lambda: composer.leave_out_asked.emit(count.num_left_out),
            is_alert=True,
            can_close=False,
        )


def too_long_words(count: TokenCount) -> str:
    """Why a prompt does not fit."""
    found = f"The prompt has {write_count(count.num_tokens, 'tokens')}; the context holds {count.context_length:,}."
    return f"{found} Remove {write_count(count.num_tokens - count.context_length + 1, 'tokens')}."


def offer_of(count: TokenCount) -> str:
    """What would make it fit; "" where nothing does."""
    if count.num_left_out == 1:
        return "Leave out the oldest message"
    return f"Leave out the oldest {write_count(count.num_left_out, 'messages')}" if count.num_left_out else ""
