"""Rows of heads that read pairs: each token with what the target computed of the token before it.

Position i of a head reads (token i + 1, feature of token i) and foretells token i + 2; native MTP layers and EAGLE-3
are such heads. What the head computes at a position stands in for the target's feature there, so that it can write on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import mlx.core as mx
import mlx.nn as nn

from engine.drafters.backlog import Backlog
from engine.drafters.base import DrafterState, DraftRow, Known, Proposals, TargetView
from engine.drafters.ngram import MAX_DEPTH
from engine.drafters.planned import Plan, combine
from engine.kv.nested import leaves_of
from engine.kv.rows import MAX_ROWS, StateChange, open_rows
from engine.kv.state import LayerState, RowState, StateKind, StateShape
from engine.prompt_cache.entries import Stream
from engine.sampling import Choice, draw

READ_AT = 16  # features that wait before a round without drafts reads them, so that drafting again costs one forward
WIDEST_READ = 512  # pairs in one forward


class PairHead(Protocol):
    """A head that is bound to its target; its functions depend on their arguments and its weights alone."""

    @property
    def module(self) -> nn.Module: ...  # whose `layers` (or `make_cache`) tell what state a row has

    def features(self, context: mx.array) -> mx.array:
        """What the head reads of the target's context: [rows, width, context size] to [rows, width, feature size]."""

    def forward(self, token_ids: mx.array, features: mx.array, cache: Sequence[Any]) -> tuple[mx.array, mx.array]:
        """Read pairs behind those in `cache`: token_ids [rows, width], features [rows, width, feature size].

        Returns what `logits` takes, [rows, width, ·], and each position's feature for the pair after it, [rows, width,
        feature size]. Positions are the cache's own: rotary attention does not mind where they start.
        """

    def logits(self, output: mx.array) -> mx.array:
        """[rows, width, ·] to logits over the target's vocabulary, -inf for tokens that the head never proposes."""


@dataclass(slots=True)
class PairRow:
    """One row's tokens; a pair waits until both its token and the feature before it are known."""

    token_ids: Sequence[int] = ()
    num_tokens: int = 0  # of them before the pending one; the features of the last ones may wait
    is_late: bool = False  # some of the features were never seen
    plan: Plan = field(default_factory=Plan)


@dataclass(frozen=True, slots=True)
class PairState:
    """A row as it is: the pairs that were read, and features that wait, [1, tokens, size]; None for none."""

    pairs: RowState | None = None
    waiting: mx.array | None = None
    is_late: bool = False


class PairRows:
    """The head's state of some rows: pairs of accepted tokens are read with the target's own features.

    Drafts are rewound as soon as the round is verified; what was accepted of them is read again with true features, in
    the forward that starts the next chain.
    """

    def __init__(self, head: PairHead, chain: Known, context_length: int) -> None:
        self._head = head
        self._chain = chain
        self._context_length = context_length
        self._state = open_rows(head.module, MAX_ROWS)
        self._backlog = Backlog()
        self._rows: list[PairRow] = []

    def prefill(self, chunks: Sequence[Sequence[int]], context: mx.array | None) -> None:
        assert context is not None
        for row, chunk in zip(self._rows, chunks, strict=True):
            row.token_ids = [*row.token_ids[: row.num_tokens], *chunk]
        self._append([len(chunk) for chunk in chunks], context)
        self._read_waiting()
        self._state.evaluate()
        self._backlog.settle()

    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals:
        waiting = self._backlog.lengths
        for row, seen, depth, num_waiting in zip(self._rows, rows, depths, waiting, strict=True):
            assert len(seen.history) == row.num_tokens + 1, "the tokens are not those that were committed"
            row.token_ids = seen.history
            room = min(self._chain.length, self._context_length - len(seen.history)) if num_waiting else 0
            row.plan.make(seen, depth, room)
        plans = [row.plan for row in self._rows]
        is_drafting = any(plan.num_drafted for plan in plans)
        return combine(plans, self._draft([seen.choice for seen in rows]) if is_drafting else None)

    def commit(self, kept: Sequence[int], context: mx.array | None) -> None:
        assert context is not None
        if any(row.plan.num_drafted for row in self._rows):
            self._state.rewind([0] * len(kept))
        for row in self._rows:
            row.plan.num_drafted = 0
        self._append(kept, context)
        if max(self._backlog.lengths, default=0) >= READ_AT:
            self._read_waiting()
            mx.async_eval([leaf.arrays() for leaf in leaves_of(self._state.layers)])

    def prepare_append(self, states: Sequence[DrafterState | None]) -> StateChange:
        held = [PairState() if state is None else _held_in(state) for state in states]
        change = self._state.prepare_append([one.pairs for one in held])
        mx.eval([one.waiting for one in held if one.waiting is not None])
        staged = [
            PairRow(state.token_ids, state.num_tokens, one.is_late) if state else PairRow()
            for state, one in zip(states, held, strict=True)
        ]

        def commit() -> None:
            change.commit()
            self._backlog.join(len(staged))
            for index, one in enumerate(held, start=len(self._rows)):
                if one.waiting is not None:
                    self._backlog.put(index, one.waiting)
            self._rows.extend(staged)

        return StateChange(commit)

    def filter(self, keep: Sequence[int]) -> None:
        self._state.filter(keep)
        self._backlog.filter(keep)
        self._rows = [self._rows[index] for index in keep]

    def capture(self, row: int, start: int = 0) -> DrafterState:
        """The row's pairs, and the last feature, which waits for the pending token."""
        self._read_waiting()
        own, num_pairs, waiting = self._rows[row], self._state.lengths[row], self._backlog.row(row)
        token_ids = tuple(own.token_ids[: own.num_tokens])
        is_whole = 0 < num_pairs == own.num_tokens - 1 and not own.is_late
        if is_whole and waiting is not None and waiting.shape[1] == 1:
            covered = by_tokens(self._state.extract(row, max(0, start - 1)), waiting, start)
            return DrafterState(own.num_tokens, token_ids, covered)
        pairs = self._state.extract(row) if num_pairs else None
        return DrafterState(own.num_tokens, token_ids, unsaved=PairState(pairs, waiting, own.is_late))

    @property
    def num_bytes(self) -> int:
        return self._state.num_bytes + self._backlog.num_bytes

    def _append(self, kept: Sequence[int], context: mx.array) -> None:
        self._backlog.append(context, kept)
        for row, count in zip(self._rows, kept, strict=True):
            row.num_tokens += count

    def _draft(self, choices: Sequence[Choice]) -> Proposals:
        """Read what waits, then write token by token; nothing waits for the device."""
        counts = self._backlog.lengths
        output, features = self._read(counts)
        last = mx.array([max(count - 1, 0) for count in counts], dtype=mx.int32)[:, None, None]
        output, features = (mx.take_along_axis(array, last, axis=1) for array in (output, features))
        drafted = [self._choose(output, choices, 0)]
        self._state.mark()
        for step in range(1, max(row.plan.num_drafted for row in self._rows)):
            self._state.begin(1)
            output, features = self._head.forward(drafted[-1], features, self._state.layers)
            self._state.commit([1] * len(counts))
            drafted.append(self._choose(output, choices, step))
        ids = mx.concatenate(drafted, axis=1)
        mx.async_eval(ids)
        lengths = [row.plan.num_drafted for row in self._rows]
        known = tuple(Known(length, self._chain.kind) for length in lengths)
        return Proposals(ids, mx.array(lengths, dtype=mx.int32), known)

    def _choose(self, output: mx.array, choices: Sequence[Choice], step: int) -> mx.array:
        """The next token, `step` positions on for every row, with the noise of the target's choice there; [rows, 1]."""
        return draw(self._head.logits(output)[:, 0], choices, step)[:, None]

    def _read_waiting(self) -> None:
        """Read every pair but that of the pending token, which a chain starts with; computes no logits."""
        while any(counts := [max(0, num_waiting - 1) for num_waiting in self._backlog.lengths]):
            self._read([min(count, WIDEST_READ) for count in counts])

    def _read(self, counts: Sequence[int]) -> tuple[mx.array, mx.array]:
        """Read the oldest counts[i] pairs of row i, padded right: outputs and features, [rows, longest, ·]."""
        ids = []
        for row, num_waiting, count in zip(self._rows, self._backlog.lengths, counts, strict=True):
            first = row.num_tokens - num_waiting + 1
            ids.append([*row.token_ids[first : first + count], *[0] * (max(counts) - count)])
        features = self._head.features(self._backlog.take(counts))
        self._state.begin(max(counts))
        read = self._head.forward(mx.array(ids, dtype=mx.int32), features, self._state.layers)
        self._state.commit(counts)
        return read


@dataclass(slots=True, weakref_slot=True, eq=False)
class PairDrafter:
    """A head in memory."""

    identity: str
    weight_bytes: int
    kv_bytes_per_token: int
    needs: frozenset[str]
    tap_layers: tuple[int, ...]
    chain: Known
    context_length: int
    state_kind: StateKind | None
    head: PairHead
    max_depth: int = MAX_DEPTH  # of a copy

    def open(self, target: TargetView) -> PairRows:
        return PairRows(self.head, self.chain, self.context_length)


def kind_of_state(stream: Stream, module: nn.Module) -> StateKind:
    """How rows of a head are kept: a column of each layer for every token, and the last token's feature."""
    shape = open_rows(module, MAX_ROWS).shape
    assert shape is not None
    return StateKind(stream, StateShape((*shape.num_grown, 0), (*shape.num_fixed, 1)))


def by_tokens(pairs: RowState, waiting: mx.array, start: int) -> RowState:
    """Pairs as state of as many tokens as they have: that of token j and the one before in column j, zeros in 0.

    Columns of the first `start` tokens are left out; `pairs` lacks those of one pair less.
    """
    layers = tuple(LayerState(tuple(map(_shifted, layer.grown)), layer.fixed) for layer in pairs.layers)
    state = RowState(pairs.num_tokens + 1, (*(pairs.layers if start else layers), LayerState(fixed=(waiting,))), start)
    mx.eval(list(state.arrays()))
    return state


def _shifted(array: mx.array) -> mx.array:
    return mx.pad(array, [(0, 0), (0, 0), (1, 0), (0, 0)])


def _held_in(state: DrafterState) -> PairState:
    """What a row goes on with; of state that ends before the row does, what was read stays, and its end is a gap."""
    if isinstance(state.unsaved, PairState):
        return state.unsaved
    covered = state.covered
    if covered is None:
        return PairState(is_late=state.num_tokens > 0)
    *layers, last = covered.layers
    pairs = tuple(LayerState(tuple(array[:, :, 1:] for array in layer.grown), layer.fixed) for layer in layers)
    is_late = covered.num_tokens < state.num_tokens
    return PairState(RowState(covered.num_tokens - 1, pairs), None if is_late else last.fixed[0], is_late)
