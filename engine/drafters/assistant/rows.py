"""Rows that an assistant drafts for: of each, the target's hidden state at its last token, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import mlx.core as mx

from engine.drafters.assistant.model import AssistantModel, Borrowed, visible
from engine.drafters.base import NO_LIMIT, Donor, DrafterState, DraftRow, Known, Proposals, TargetView
from engine.drafters.planned import Plan, combine
from engine.forecast import Kind
from engine.kv.rows import StateChange
from engine.kv.state import LayerState, RowState
from engine.models.drafting.assistant import AssistantSpec
from engine.sampling import draw

# vLLM's figures for gemma-4-26B-A4B: 0.84, 0.60, 0.39 and 0.27 of first, second, … tokens were accepted
CHAIN_KIND = Kind("assistant", (0.84, 0.71, 0.65, 0.69))


@dataclass(slots=True)
class AssistantRow:
    """One row; without the hidden state nothing can be drafted, until a forward of the target gives it."""

    num_tokens: int = 0  # before the pending one
    hidden: mx.array | None = None  # [1, 1, hidden], after the final norm, at the last of them
    plan: Plan = field(default_factory=Plan)


@dataclass(frozen=True, slots=True)
class Seats:
    """Rows of the target's batch that a drafter has; its forward runs over all of them, so that no keys are copied."""

    indices: Sequence[int]  # of each of the drafter's rows in the batch
    num_rows: int  # of the batch

    @property
    def are_all(self) -> bool:
        return list(self.indices) == list(range(self.num_rows))

    def spread(self, array: mx.array) -> mx.array:
        """From the drafter's rows to those of the batch; the first one stands in for rows that are not its own."""
        if self.are_all:
            return array
        sources = [self.indices.index(row) if row in self.indices else 0 for row in range(self.num_rows)]
        return mx.take(array, mx.array(sources, dtype=mx.int32), axis=0)

    def gather(self, array: mx.array) -> mx.array:
        """From the rows of the batch to the drafter's."""
        return array if self.are_all else mx.take(array, mx.array(list(self.indices), dtype=mx.int32), axis=0)


class AssistantRows:
    """Hidden states that move on with every forward, drafting or not; a rewind is the choice of another column."""

    def __init__(self, model: AssistantModel, spec: AssistantSpec, target: TargetView) -> None:
        self._model = model
        self._depth = spec.depth
        self._context_length = spec.context_length or NO_LIMIT
        self._view = target
        self._rows: list[AssistantRow] = []

    def prefill(self, chunks: Sequence[Sequence[int]], context: mx.array | None) -> None:
        self._move([len(chunk) for chunk in chunks], context)

    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals:
        for row, seen, depth in zip(self._rows, rows, depths, strict=True):
            room = self._context_length - len(seen.history) if row.hidden is not None else 0
            row.plan.make(seen, depth, min(self._depth, room))
        plans = [row.plan for row in self._rows]
        return combine(plans, self._draft(rows) if any(plan.num_drafted for plan in plans) else None)

    def commit(self, kept: Sequence[int], context: mx.array | None) -> None:
        self._move(kept, context)

    def prepare_append(self, states: Sequence[DrafterState | None]) -> StateChange:
        staged = [_row_of(state) for state in states]
        mx.eval([row.hidden for row in staged if row.hidden is not None])
        return StateChange(lambda: self._rows.extend(staged))

    def filter(self, keep: Sequence[int]) -> None:
        self._rows = [self._rows[index] for index in keep]

    def capture(self, row: int, start: int = 0) -> DrafterState:
        """Its hidden state, exact at its last token; nothing where that is not known."""
        held = self._rows[row]
        if held.hidden is None:
            return DrafterState(held.num_tokens)
        hidden = _copy(held.hidden, mx.zeros((1, 1, 1), dtype=mx.int32))
        mx.eval(hidden)
        covered = RowState(held.num_tokens, (LayerState(fixed=(hidden,)),), start)
        return DrafterState(held.num_tokens, covered=covered)

    @property
    def num_bytes(self) -> int:
        return sum(row.hidden.nbytes for row in self._rows if row.hidden is not None)

    def _move(self, kept: Sequence[int], context: mx.array | None) -> None:
        """Take each row's hidden state from the last of its kept[i] columns; a row that keeps none stays as it is."""
        assert context is not None
        last = mx.array([max(count - 1, 0) for count in kept], dtype=mx.int32)[:, None, None]
        latest = _copy(context, last)
        mx.async_eval(latest)  # waits for nothing; left lazy, it would hold all that the forward has computed
        for index, (row, count) in enumerate(zip(self._rows, kept, strict=True)):
            row.hidden = latest[index : index + 1] if count else row.hidden
            row.num_tokens += count

    def _draft(self, rows: Sequence[DraftRow]) -> Proposals:
        """Token by token, all at one position."""
        assert self._view.donors is not None
        donors, target = self._view.donors(), self._view.target
        seats = Seats([row.index for row in rows], next(iter(donors.values())).keys.shape[0])
        borrowed = self._borrow(donors, seats, [len(row.history) - 1 for row in rows])
        hidden = seats.spread(self._hidden_states())
        token_ids = mx.array([[row.pending] for row in rows], dtype=mx.int32)
        drafted: list[mx.array] = []
        for step in range(max(row.plan.num_drafted for row in self._rows)):
            embedded = target.embed(seats.spread(token_ids)) * target.embed_scale
            logits, hidden = self._model(embedded, hidden, borrowed)
            token_ids = draw(seats.gather(logits), [row.choice for row in rows], step)[:, None]
            drafted.append(token_ids)
        ids = mx.concatenate(drafted, axis=1)
        mx.eval(ids)  # behind a read that is pending, the verify would copy all that the donors hold to write to it
        counts = [row.plan.num_drafted for row in self._rows]
        known = tuple(Known(count, CHAIN_KIND) for count in counts)
        return Proposals(ids, mx.array(counts, dtype=mx.int32), known)

    def _borrow(self, donors: Mapping[str, Donor], seats: Seats, lengths: Sequence[int]) -> Borrowed:
        """What the target has read of its batch's rows, for all steps of a round."""
        own = mx.array(list(lengths), dtype=mx.int32)
        ends, dtype = seats.spread(own), self._model.dtype
        return Borrowed(
            {kind: (donor.keys.astype(dtype), donor.values.astype(dtype)) for kind, donor in donors.items()},
            {kind: visible(donor.positions, ends, donor.window) for kind, donor in donors.items()},
            lengths[0] - 1 if len(set(lengths)) == 1 else ends - 1,
        )

    def _hidden_states(self) -> mx.array:
        """[rows, 1, hidden]; zeros for a row whose own is not known."""
        known = next(row.hidden for row in self._rows if row.hidden is not None)
        none = mx.zeros_like(known)
        return mx.concatenate([none if row.hidden is None else row.hidden for row in self._rows])


def _row_of(state: DrafterState | None) -> AssistantRow:
    """A row from where it was kept; the hidden state of an earlier token is of no use."""
    if state is None or state.covered is None or state.covered.num_tokens != state.num_tokens:
        return AssistantRow(state.num_tokens if state else 0)
    return AssistantRow(state.num_tokens, state.covered.fixed[0])


def _copy(context: mx.array, columns: mx.array) -> mx.array:
    """One column of each row in a buffer of its own: [rows, width, hidden] and [rows, 1, 1] to [rows, 1, hidden]."""
    return mx.take_along_axis(context, columns, axis=1)
