"""Rows that share one target and advance together, one forward a step."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from engine.companions import Companions
from engine.depth import choose_depth
from engine.messages import Event, Failed, Notice, Progress
from engine.prefill import Cohort
from engine.round import Launched, RowOutcome, finish, launch, launch_ahead, propose
from engine.row import Row
from engine.target import Target

log = logging.getLogger(__name__)

T = TypeVar("T")

LENGTH_RATIO = 4  # KV memory is rows × longest: a row so many times longer or shorter than a group costs too much in it
SHORT_ROW = 1024  # tokens below which a row's length costs nothing worth a second forward


class BrokenLogitsError(Exception):
    """The target's output for a row is not made of numbers."""


class Group:
    """Owns the target state of its rows; rows wait, are read, join, run and leave between rounds."""

    def __init__(self, target: Target, emit: Callable[[Event], None]) -> None:
        self.target = target
        self._emit = emit
        self._state = target.open_rows()
        self._companions = Companions(target.view)
        self._waiting: deque[Row] = deque()
        self._cohort = Cohort(target)
        self._rows: list[Row] = []
        self._flight: Launched | None = None  # a plain round that runs while the one before it is delivered

    @property
    def is_idle(self) -> bool:
        return not self._all_rows()

    @property
    def has_room(self) -> bool:
        return self.num_rows < self.max_rows

    @property
    def max_rows(self) -> int:
        return self._state.max_rows

    @property
    def num_rows(self) -> int:
        """Rows that wait, are read or run."""
        return len(self._all_rows())

    def suits(self, row: Row) -> bool:
        """Whether a row may share forwards: near enough to the longest here, and one drafter with weights in all."""
        rows = self._all_rows()
        longest = max([SHORT_ROW, *(other.num_tokens for other in rows)])
        is_near = longest / LENGTH_RATIO <= max(row.num_tokens, SHORT_ROW) <= LENGTH_RATIO * longest
        weighty = {id(other.drafter) for other in (*rows, row) if other.drafter.weight_bytes}
        return is_near and len(weighty) <= 1

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
        launched = self._flight or self._launch()
        self._flight = self._launch_ahead(launched)
        kept = self._deliver(finish(self._rows, launched))
        if self._flight is None:
            self._commit(kept, launched)
            self._retire()

    def cancel(self, request_id: int) -> bool:
        """End a row between rounds and keep what it delivered; False where it is not here."""
        row = next((row for row in self._all_rows() if row.request_id == request_id and not row.is_over), None)
        if row is None:
            return False
        for event in row.end("cancelled"):
            self._emit(event)
        self._remove(row)
        return True

    def fail(self, text: str) -> None:
        """Fail every row and drop their state, which can no longer be trusted."""
        for row in self._all_rows():
            if not row.is_over:
                self._emit(Failed(row.request_id, "engine", text))
        self._waiting.clear()
        self._rows, self._flight = [], None
        self._cohort = Cohort(self.target)
        self._state = self.target.open_rows()
        self._companions = Companions(self.target.view)

    def end(self) -> None:
        """End every row as cancelled."""
        for row in self._all_rows():
            self.cancel(row.request_id)

    def _admit(self) -> None:
        """Take waiting rows into the cohort, read one chunk, and let rows whose prompts are read join the batch."""
        while self._waiting and self._has_place() and self._cohort.can_admit(self._waiting[0]):
            row = self._waiting.popleft()
            self._attempt([row], partial(self._cohort.admit, row))
        if not self._cohort.rows:
            return
        self._attempt(self._cohort.rows, self._read)
        if any(row.is_over for row in self._cohort.rows):
            self._cohort = Cohort(self.target)  # its state can no longer be trusted
        if self._flight is None:
            for row in self._cohort.finished():
                self._attempt([row], partial(self._join, row))

    def _has_place(self) -> bool:
        return len(self._rows) + len(self._cohort.rows) < self.max_rows

    def _read(self) -> None:
        self._cohort.advance()
        for progress in self._cohort.progress():
            self._emit(progress)

    def _join(self, row: Row) -> None:
        """All that can fail happens before the first commit."""
        state, draft_state = self._cohort.take(row)
        changes = [self._state.prepare_append([state]), self._companions.prepare_append(row, draft_state)]
        for change in changes:
            change.commit()
        self._rows.append(row)

    def _launch(self) -> Launched:
        proposals = propose(self._companions, self._rows, [self._depth(row) for row in self._rows])
        return launch(self.target, self._state, self._rows, proposals)

    def _depth(self, row: Row) -> int:
        """How far a row may draft; it says once where its drafter's context ends before its own."""
        if not (row.draft_room or row.is_out_of_context):
            row.is_out_of_context = True
            text = f"Drafter off: this chat is longer than the {row.drafter.context_length} tokens that it can follow."
            self._emit(Notice(row.request_id, "drafter_off", text))
        return choose_depth(min(row.drafter.max_depth, row.draft_room), row.remaining, self._state.can_rewind)

    def _launch_ahead(self, launched: Launched) -> Launched | None:
        """Start the round after a plain one before that one is read, where no row or drafter has to see it first."""
        is_steady = not (self._waiting or self._cohort.rows) and self._state.can_rewind
        if not is_steady or not launched.is_plain:
            return None
        if not all(row.can_run_ahead for row in self._rows):
            return None
        self._commit([1] * len(self._rows), launched)
        return launch_ahead(self.target, self._state, self._rows, launched)

    def _deliver(self, outcomes: Sequence[RowOutcome]) -> Sequence[int]:
        """Hand each row its tokens, in order; returns how many window positions each row keeps."""
        return [
            self._attempt([row], partial(self._deliver_row, row, outcome)) or 0
            for row, outcome in zip(self._rows, outcomes, strict=True)
        ]

    def _deliver_row(self, row: Row, outcome: RowOutcome) -> int:
        if row.is_over:
            return 0
        if outcome.is_broken:
            raise BrokenLogitsError("the model's output holds values that are not numbers (NaN)")
        delivery = row.deliver(outcome.target_ids, outcome.num_proposed, outcome.num_accepted, outcome.logprobs)
        for event in delivery.events:
            self._emit(event)
        row.is_over = delivery.is_last
        return delivery.kept

    def _attempt(self, rows: Sequence[Row], work: Callable[[], T]) -> T | None:
        """Do what concerns these rows alone; where it fails, they fail and the others go on."""
        try:
            return work()
        except Exception as error:
            log.exception("request %s failed", ", ".join(str(row.request_id) for row in rows))
            text = f"This reply failed: {error}. The other replies go on."
            for row in rows:
                row.is_over = True
                self._emit(Failed(row.request_id, "engine", text))
            return None

    def _commit(self, kept: Sequence[int], launched: Launched) -> None:
        """Keep in both states exactly what was delivered; the target first."""
        self._state.commit(kept)
        self._companions.commit(self._rows, kept, launched.context)

    def _retire(self) -> None:
        """Drop the rows that are over; nothing may be in flight."""
        keep = [index for index, row in enumerate(self._rows) if not row.is_over]
        if len(keep) < len(self._rows):
            self._state.filter(keep)
            self._companions.filter(self._rows, keep)
            self._rows = [self._rows[index] for index in keep]

    def _all_rows(self) -> list[Row]:
        return [*self._waiting, *self._cohort.rows, *self._rows]

    def _remove(self, row: Row) -> None:
        if row in self._waiting:
            self._waiting.remove(row)
        elif row in self._cohort.rows:
            self._cohort.remove(row)
        else:
            row.is_over = True
            if self._flight is None:
                self._retire()
