"""Requests that are no rows yet: their models are loaded, then their prompts are made and looked up."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from engine.checkpoints import Checkpoints
from engine.drafters.base import Drafter
from engine.failure import failed
from engine.inbox import Inbox
from engine.messages import Began, Event, Finished, Submit
from engine.replies import Replies
from engine.row import Row
from engine.row_opening import open_row
from engine.target import Target
from engine.text.prompt import Prompt
from engine.text.thread import InlineText, TextThread

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Pending:
    """A request whose models are being loaded or whose prompt is being made."""

    submit: Submit
    sent_at: float
    target: Target | None = None
    drafter: Drafter | None = None


@dataclass(frozen=True, slots=True)
class Searching:
    """A row whose prompt is looked up in the prompt cache."""

    row: Row
    target: str


class Requests:
    """Owns every request from its Submit until its row may wait in a group."""

    def __init__(
        self,
        emit: Callable[[Event], None],
        text: TextThread | InlineText,
        inbox: Inbox,
        replies: Replies,
        checkpoints: Checkpoints,
        take_in: Callable[[Target, Row], None],
    ) -> None:
        self._emit = emit
        self._text = text
        self._inbox = inbox
        self._replies = replies
        self._checkpoints = checkpoints
        self._take_in = take_in
        self._pending: dict[int, Pending] = {}
        self._searching: dict[int, Searching] = {}

    @property
    def ids(self) -> set[int]:
        return {*self._pending, *self._searching}

    def uses(self, target: str, besides: Collection[int]) -> bool:
        """Whether a request needs a target, other than those that are named."""
        pending = any(one.submit.target == target for id_, one in self._pending.items() if id_ not in besides)
        return pending or any(one.target == target for one in self._searching.values())

    def begin(self, submit: Submit, sent_at: float) -> None:
        """Take a request whose models come next; of a trial nothing is remembered."""
        self._pending[submit.request_id] = Pending(submit, sent_at)
        if not submit.is_trial:
            self._replies.begin(submit.request_id, submit.conversation_id)

    def prepare(self, submit: Submit, target: Target, drafter: Drafter) -> None:
        """Have the prompt made; it comes back through the inbox."""
        pending = self._pending[submit.request_id]
        pending.target, pending.drafter = target, drafter
        self._replies.set_tokenizer(submit.request_id, target.facts.tokenizer_id)
        self._text.prepare(submit, target.facts, self._inbox.put)

    def forget(self, request_id: int) -> bool:
        """Drop a request that has failed before its prompt was there; whether it was here."""
        return self._pending.pop(request_id, None) is not None

    def open_row(self, prompt: Prompt) -> None:
        """Turn a made prompt into a row, unless its request was cancelled meanwhile."""
        pending = self._pending.pop(prompt.request_id, None)
        if pending is None:
            return
        for notice in prompt.notices:
            self._emit(notice)
        if prompt.opening:
            self._emit(Began(prompt.request_id, prompt.opening))
        try:
            self._add_row(prompt, pending)
        except Exception as error:
            log.exception("request %d could not be opened", prompt.request_id)
            self._searching.pop(prompt.request_id, None)
            self._emit(failed(prompt.request_id, "engine", error))

    def cancel(self, request_id: int) -> bool:
        """End a request as cancelled; False where it is not here."""
        if self.forget(request_id):
            self._emit(Finished(request_id, "cancelled"))
            return True
        if (searching := self._searching.pop(request_id, None)) is None:
            return False
        self._checkpoints.drop(request_id)
        for event in searching.row.end("cancelled"):
            self._emit(event)
        return True

    def drop(self) -> set[int]:
        """Let go of every request without a word; returns which they were."""
        ids = self.ids
        self._pending.clear()
        self._searching.clear()
        return ids

    def _add_row(self, prompt: Prompt, pending: Pending) -> None:
        assert pending.target is not None
        assert pending.drafter is not None
        is_stopping = partial(self._inbox.is_stopping, prompt.request_id)
        target = pending.target
        kind = None if pending.submit.is_trial else target.state_kind(prompt.kv)  # without one nothing is kept or found
        row = open_row(pending.submit, prompt, pending.drafter, target.view, kind, pending.sent_at, is_stopping)
        self._searching[row.request_id] = Searching(row, pending.submit.target)
        self._checkpoints.find(row, target.long_prefill_tokens_per_second, partial(self._found, target, row))

    def _found(self, target: Target, row: Row) -> None:
        """Let a row go on, unless its request was cancelled while its prompt was looked up."""
        if self._searching.pop(row.request_id, None) is not None:
            self._take_in(target, row)
