"""Rows that share one target and advance together, one forward a step."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from engine.depth import choose_depth
from engine.messages import Event, Failed, Notice, Progress
from engine.prefill import Prefill
from engine.round import Outcome, finish, launch, propose
from engine.row import Delivery, Row
from engine.target import Target

log = logging.getLogger(__name__)

T = TypeVar("T")


class Group:
    """Owns the target state of its rows; rows wait, are read, join, run and leave between rounds."""

    def __init__(self, target: Target, emit: Callable[[Event], None]) -> None:
        self.target = target
        self._emit = emit
        self._state = target.open_rows()
        self._waiting: deque[Row] = deque()
        self._prefill: Prefill | None = None
        self._rows: list[Row] = []

    @property
    def is_idle(self) -> bool:
        return not (self._waiting or self._prefill or self._rows)

    @property
    def has_room(self) -> bool:
        return self.num_rows < self.max_rows

    @property
    def max_rows(self) -> int:
        return self._state.max_rows

    @property
    def num_rows(self) -> int:
        """Rows that wait, are read or run."""
        return len(self._waiting) + len(self._rows) + (self._prefill is not None)

    def add(self, row: Row) -> None:
        """Queue a row; it is read and joins in the steps that follow."""
        if row.drafter.max_depth and not self._state.can_rewind:
            self._emit(Notice(row.request_id, "drafter_off", f"Drafter off: {self.target.facts.batch_refusal}"))
        if self.num_rows:
            self._emit(Progress(row.request_id, "waiting", 0, len(row.prompt_ids)))
        self._waiting.append(row)

    def step(self) -> None:
        """Advance every row by one target forward."""
        self._admit()
        if not self._rows:
            return
        depths = [choose_depth(row.drafter.max_depth, row.remaining, self._state.can_rewind) for row in self._rows]
        launched = launch(self.target, self._state, self._rows, propose(self._rows, depths))
        outcome = finish(self._rows, launched)
        delivered = self._deliver(outcome)
        self._commit(delivered, outcome)
        self._retire(delivered)

    def cancel(self, request_id: int) -> bool:
        """End a row between rounds and keep what it delivered; False where it is not here."""
        row = self._find(request_id)
        if row is not None:
            for event in row.end("cancelled"):
                self._emit(event)
            self._remove(row)
        return row is not None

    def fail(self, text: str) -> None:
        """Fail every row and drop their state, which can no longer be trusted."""
        for row in self._all_rows():
            self._emit(Failed(row.request_id, "engine", text))
        self._waiting.clear()
        self._prefill, self._rows = None, []
        self._state = self.target.open_rows()

    def end(self) -> None:
        """End every row as cancelled."""
        for row in self._all_rows():
            self.cancel(row.request_id)

    def _admit(self) -> None:
        """Read one chunk of the next row's prompt; a row whose prompt is read joins the batch."""
        if self._prefill is None and self._waiting and len(self._rows) < self.max_rows:
            row = self._waiting.popleft()
            self._prefill = self._attempt(row, lambda: Prefill(self.target, row))
        prefill = self._prefill
        if prefill is not None and not self._attempt(prefill.row, lambda: self._read(prefill)):
            self._prefill = None

    def _read(self, prefill: Prefill) -> bool:
        """Advance a prompt by a chunk; True while there is more of it to read."""
        if not prefill.is_done:
            prefill.advance()
            self._emit(prefill.progress())
        if not prefill.is_done:
            return True
        self._state.prepare_append([prefill.take()]).commit()
        self._rows.append(prefill.row)
        return False

    def _deliver(self, outcome: Outcome) -> Sequence[Delivery]:
        """Hand each row its tokens, in order."""
        delivered = []
        read = zip(self._rows, outcome.target_ids, outcome.num_proposed, outcome.num_accepted, strict=True)
        for row, target_ids, num_proposed, num_accepted in read:
            work = partial(row.deliver, target_ids, num_proposed, num_accepted)
            delivery = self._attempt(row, work) or Delivery((), kept=1, is_last=True)
            delivered.append(delivery)
            for event in delivery.events:
                self._emit(event)
        return delivered

    def _attempt(self, row: Row, work: Callable[[], T]) -> T | None:
        """Do what concerns one row alone; where it fails, that row fails and the others go on."""
        try:
            return work()
        except Exception as error:
            log.exception("request %d failed", row.request_id)
            self._emit(Failed(row.request_id, "engine", f"This reply failed: {error}. The other replies go on."))
            return None

    def _commit(self, delivered: Sequence[Delivery], outcome: Outcome) -> None:
        """Keep in both states exactly what was delivered; the target first."""
        self._state.commit([delivery.kept for delivery in delivered])
        for row, delivery in zip(self._rows, delivered, strict=True):
            row.draft_rows.commit([delivery.kept], outcome.context)

    def _retire(self, delivered: Sequence[Delivery]) -> None:
        self._keep([index for index, delivery in enumerate(delivered) if not delivery.is_last])

    def _find(self, request_id: int) -> Row | None:
        return next((row for row in self._all_rows() if row.request_id == request_id), None)

    def _all_rows(self) -> list[Row]:
        reading = [self._prefill.row] if self._prefill else []
        return [*self._waiting, *reading, *self._rows]

    def _remove(self, row: Row) -> None:
        if self._prefill is not None and self._prefill.row is row:
            self._prefill = None
        elif row in self._waiting:
            self._waiting.remove(row)
        else:
            self._keep([index for index, other in enumerate(self._rows) if other is not row])

    def _keep(self, keep: Sequence[int]) -> None:
        if len(keep) < len(self._rows):
            self._state.filter(keep)
            self._rows = [self._rows[index] for index in keep]
