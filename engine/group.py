"""Rows that share one target and advance together, one forward a step."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from engine.checkpoints import Checkpoints
from engine.depth import DepthPolicy
from engine.measuring import Measuring, RoundShape
from engine.messages import Event, Failed, KvScheme, Notice, Progress
from engine.prefill import Cohort
from engine.prompt_cache.entries import PAGE_TOKENS
from engine.proposing import Proposing, place_of
from engine.round import BrokenLogitsError, Launched, RowOutcome, finish, launch, launch_ahead
from engine.round_clock import Device
from engine.row import Row
from engine.row_memory import RowMemory, are_near
from engine.target import Target

log = logging.getLogger(__name__)

T = TypeVar("T")


class Group:
    """Owns the target state of its rows; rows wait, are read, join, run and leave between rounds."""

    def __init__(
        self,
        target: Target,
        kv: KvScheme,
        emit: Callable[[Event], None],
        policy: DepthPolicy,
        checkpoints: Checkpoints,
        device: Device,
    ) -> None:
        self.target = target
        self.kv = kv
        self._emit = emit
        self._policy = policy
        self._checkpoints = checkpoints
        self._measuring = Measuring(target.costs, device)
        self._waiting: deque[Row] = deque()
        self._open()

    def _open(self) -> None:
        """Begin with no state; rows that wait stay."""
        self._cohort = Cohort(self.target, self.kv, self._checkpoints)
        self._take_over(self._cohort)
        self._flight: Launched | None = None  # a plain round that runs while the one before it is delivered

    def _take_over(self, cohort: Cohort) -> None:
        """Go on with a cohort's rows and their state as they are, and read others' prompts in a new one."""
        self._rows = cohort.rows
        self._state, self._companions = cohort.state, cohort.companions
        self._proposing = Proposing(self._companions, self._policy, self._measuring, self._emit)
        self._cohort = Cohort(self.target, self.kv, self._checkpoints)

    @property
    def rows(self) -> list[Row]:
        """Rows that wait, are read or run."""
        return [*self._waiting, *self._cohort.rows, *self._rows]

    @property
    def is_idle(self) -> bool:
        return not self.rows

    @property
    def has_room(self) -> bool:
        return self.num_rows < self.max_rows

    @property
    def max_rows(self) -> int:
        return self._state.max_rows

    @property
    def num_rows(self) -> int:
        return len(self.rows)

    @property
    def memory(self) -> RowMemory:
        """What its rows take, those that wait aside."""
        return RowMemory(self._state.num_bytes, self._companions.num_bytes, len(self._rows)) + self._cohort.memory

    def suits(self, row: Row) -> bool:
        """Whether a row may share forwards: near enough to the longest here, and one drafter with weights in all."""
        if row.kv != self.kv:
            return False
        rows = self.rows
        is_near = are_near(row.num_tokens, (other.num_tokens for other in rows))
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
        self._measuring.begin()
        was_ahead = self._flight is not None
        launched = self._flight or self._launch()
        self._flight = self._launch_ahead(launched, was_ahead)
        outcomes = self._finish(launched, was_ahead)
        kept = self._deliver(outcomes)
        if self._flight is None:
            self._commit(kept, launched)
        self._save_grown(kept)
        if self._flight is None:
            self._retire()
        self._measuring.end(self._flight is not None)

    def cancel(self, request_id: int) -> bool:
        """End a row between rounds and keep what it delivered; False where it is not here."""
        row = next((row for row in self.rows if row.request_id == request_id and not row.is_over), None)
        if row is None:
            return False
        events = row.end("cancelled")
        row.is_over = True
        for event in events:
            self._emit(event)
        self._remove(row)
        return True

    def fail(self, text: str) -> None:
        """Fail every row and drop their state, which can no longer be trusted."""
        for row in self.rows:
            if not row.is_over:
                self._emit(Failed(row.request_id, "engine", text))
        self._waiting.clear()
        self._open()

    def end(self) -> None:
        """End every row as cancelled; what is in flight is dropped, so that all of them leave."""
        for row in self.rows:
            self.cancel(row.request_id)
        if self._flight is not None:
            self._commit([0] * len(self._rows), self._flight)
            self._flight = None
            self._retire()

    def _admit(self) -> None:
        """Take waiting rows into the cohort, read one chunk, and let rows whose prompts are read join the batch."""
        while self._waiting and self._has_place() and self._cohort.can_admit(self._waiting[0]):
            row = self._waiting.popleft()
            self._attempt([row], partial(self._cohort.admit, row))
        if not self._cohort.rows:
            return
        self._attempt(self._cohort.rows, self._read)
        self._abandon_broken_cohort()
        while self._flight is None and (finished := self._cohort.finished()):
            self._attempt(finished[:1], partial(self._join, finished[0]))
            self._abandon_broken_cohort()

    def _abandon_broken_cohort(self) -> None:
        """Where a row that is over could not leave the cohort, its state can no longer be trusted: the others fail."""
        if any(row.is_over for row in self._cohort.rows):
            text = "This reply failed, since another one could not leave the prompts that are read. Send it again."
            self._fail([row for row in self._cohort.rows if not row.is_over], text)
            self._cohort = Cohort(self.target, self.kv, self._checkpoints)

    def _has_place(self) -> bool:
        return len(self._rows) + len(self._cohort.rows) < self.max_rows

    def _read(self) -> None:
        self._cohort.advance()
        for progress in self._cohort.progress():
            self._emit(progress)

    def _join(self, row: Row) -> None:
        """All that can fail happens before the first commit; a row that is alone takes its state along uncopied."""
        if row.has_exact_part:
            self._cohort.save(row, is_boundary=True)
        if not self._rows and self._cohort.rows == [row]:
            self._take_over(self._cohort)
            return
        state, draft_state = self._cohort.take(row)
        changes = [self._state.prepare_append([state]), self._companions.prepare_append(row, draft_state)]
        for change in changes:
            change.commit()
        self._rows.append(row)

    def _launch(self) -> Launched:
        proposals = self._proposing.propose(self._rows, self._state.can_rewind, self._is_steady)
        return launch(self.target, self._state, self._rows, proposals)

    @property
    def _is_steady(self) -> bool:
        """Whether no row is about to join."""
        return not self._cohort.rows and not (self._waiting and self._has_place())

    def _launch_ahead(self, launched: Launched, was_ahead: bool) -> Launched | None:
        """Start the round after a plain one before that one is read, where no row or drafter has to see it first."""
        can_run = self._is_steady and self._state.can_rewind and all(row.can_run_ahead for row in self._rows)
        if not (launched.is_plain and can_run):
            return None
        stays_plain = partial(self._proposing.stays_plain, self._rows, self._state.can_rewind, self._is_steady)
        if not (stays_plain() if was_ahead else self._proposing.decision.runs_ahead):
            return None
        self._commit([1] * len(self._rows), launched)
        return launch_ahead(self.target, self._state, self._rows, launched)

    def _finish(self, launched: Launched, was_ahead: bool) -> list[RowOutcome]:
        """Read a round back and time it."""
        outcomes, draft_seconds = finish(launched)
        chains = [row for row in self._rows if row.drafter.chain.length]
        depth = max((row.outlook.num_draft_forwards for row in chains), default=0)
        drafter = chains[0].drafter.identity if depth else ""
        width = launched.target_ids.shape[1]
        shape = RoundShape(place_of(self._rows), width, was_ahead, drafter, len(chains), depth)
        time_taken = self._measuring.finish(shape, draft_seconds)
        group = self._measuring.statistics(len(self._rows))
        for row in self._rows:
            row.counter.time_round(time_taken, len(self._rows), group)
            row.outlook.seconds_since_probe += time_taken.total
        return outcomes

    def _deliver(self, outcomes: Sequence[RowOutcome]) -> Sequence[int]:
        """Hand each row its tokens, in order; returns how many window positions each row keeps."""
        before = sum(row.num_delivered for row in self._rows)
        kept = [
            self._attempt([row], partial(self._deliver_row, row, outcome)) or 0
            for row, outcome in zip(self._rows, outcomes, strict=True)
        ]
        self._measuring.deliver(sum(row.num_delivered for row in self._rows) - before)
        return kept

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
            self._fail(rows, f"This reply failed: {error}. The other replies go on.")
            return None

    def _fail(self, rows: Sequence[Row], text: str) -> None:
        for row in rows:
            row.is_over = row.has_failed = True
            self._emit(Failed(row.request_id, "engine", text))

    def _commit(self, kept: Sequence[int], launched: Launched) -> None:
        """Keep in both states exactly what was delivered; the target first."""
        self._state.commit(kept)
        self._companions.commit(self._rows, kept, launched.context)

    def _retire(self) -> None:
        """Drop the rows that are over; nothing may be in flight."""
        keep = [index for index, row in enumerate(self._rows) if not row.is_over]
        if len(keep) < len(self._rows):
            self._save_leaving()
            self._state.filter(keep)
            self._companions.filter(self._rows, keep)
            self._rows = [self._rows[index] for index in keep]

    def _save_leaving(self) -> None:
        """Save what rows that are over leave behind, before their places are given up."""
        for row in self._rows:
            if row.is_over and not row.has_failed:
                self._checkpoints.save(row, self._rows, self._state, self._companions)

    def _save_grown(self, kept: Sequence[int]) -> None:
        """Save a page of what a long reply has come to, so that a crash costs no more; an exact state waits for its
        end. What is in flight lies behind a row's length."""
        for row, length, count in zip(self._rows, self._state.lengths, kept, strict=True):
            if not row.is_over and not row.is_exact and length % PAGE_TOKENS < count:
                self._checkpoints.save(row, self._rows, self._state, self._companions, is_boundary=True)

    def _remove(self, row: Row) -> None:
        if row in self._waiting:
            self._waiting.remove(row)
        elif row in self._cohort.rows:
            self._cohort.save(row)
            self._cohort.remove(row)
        elif self._flight is None:
            self._retire()
