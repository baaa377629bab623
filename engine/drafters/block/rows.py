"""Rows of a block drafter: their projected context, and a block of proposals in one forward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import mlx.core as mx

from engine.drafters.backlog import Backlog
from engine.drafters.base import DrafterState, DraftRow, Known, Proposals, to_lists
from engine.drafters.block.model import CONTEXT_WINDOW, BlockModel
from engine.drafters.block.predict import Predicted, predict
from engine.drafters.planned import Plan, combine
from engine.drafters.vocabulary import DraftHead
from engine.forecast import Kind
from engine.kv.rows import MAX_ROWS, StateChange, open_rows
from engine.kv.state import HeldTokens, RowState
from engine.sampling import draw

MOST_WAITING = 64  # committed positions of a row whose taps are kept; they take more memory than what is made of them

# What a confidence head has to give a token: below it, the position costs the target more than it brings. DeepSpec
# leaves the number open; a further position of a verify takes from a twentieth to a third of a plain forward.
LEAST_CONFIDENCE = 0.25


@dataclass(frozen=True, slots=True)
class BlockParts:
    """What is loaded once: the layers, and how ids become vectors and vectors ids, whosever the matrices are."""

    model: BlockModel
    embed: Callable[[mx.array], mx.array]  # ids [rows, block] to vectors, scaled
    head: DraftHead
    chain: Known


@dataclass(slots=True)
class BlockRow:
    """One row; `is_late` where its context begins behind tokens that the target restored without it."""

    num_tokens: int = 0  # before the pending one
    is_late: bool = False
    plan: Plan = field(default_factory=Plan)


class BlockRows:
    """Keys and values of some rows' context, appended as the target commits; a block leaves nothing behind.

    Positions count from where a row's coverage begins: attention knows differences of positions alone.
    """

    def __init__(self, parts: BlockParts) -> None:
        self._parts = parts
        self._model = parts.model
        self._state = open_rows(parts.model, MAX_ROWS)
        self._backlog = Backlog()
        self._rows: list[BlockRow] = []

    def prefill(self, chunks: Sequence[Sequence[int]], context: mx.array | None) -> None:
        assert context is not None
        counts = [len(chunk) for chunk in chunks]
        self._read_backlog()
        self._append(context, counts)
        self._state.evaluate()
        self._count(counts)

    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals:
        for row, seen, depth in zip(self._rows, rows, depths, strict=True):
            row.plan.make(seen, depth, self._parts.chain.length)
        plans = [row.plan for row in self._rows]
        return combine(plans, self._draft(rows) if any(plan.num_drafted for plan in plans) else None)

    def commit(self, kept: Sequence[int], context: mx.array | None) -> None:
        """Lazy, since a plain round's successor may be on its way; what waits is projected together."""
        assert context is not None
        self._backlog.append(context, kept)
        self._count(kept)
        if max(self._backlog.lengths, default=0) >= MOST_WAITING:
            self._read_backlog()
            mx.async_eval([layer.arrays() for layer in self._layers])

    def prepare_append(self, states: Sequence[DrafterState | None]) -> StateChange:
        held = [_context_of(state) if state else None for state in states]
        change = self._state.prepare_append(held)
        staged = [BlockRow(state.num_tokens, _is_late(state)) if state else BlockRow() for state in states]

        def commit() -> None:
            change.commit()
            self._backlog.join(len(staged))
            self._rows.extend(staged)

        return StateChange(commit)

    def filter(self, keep: Sequence[int]) -> None:
        self._state.filter(keep)
        self._backlog.filter(keep)
        self._rows = [self._rows[index] for index in keep]

    def capture(self, row: int, start: int = 0) -> DrafterState:
        self._read_backlog()
        own = self._rows[row]
        if own.is_late:
            late = self._state.extract(row) if self._state.lengths[row] else None
            return DrafterState(own.num_tokens, unsaved=late)
        return DrafterState(own.num_tokens, covered=self._state.extract(row, start) if own.num_tokens > start else None)

    @property
    def num_bytes(self) -> int:
        return self._state.num_bytes + self._backlog.num_bytes

    @property
    def _layers(self) -> list[Any]:
        """FullAttention and Window layouts."""
        return list(self._state.layers)

    def _count(self, num_tokens: Sequence[int]) -> None:
        for row, count in zip(self._rows, num_tokens, strict=True):
            row.num_tokens += count

    def _read_backlog(self) -> None:
        counts = self._backlog.lengths
        if any(counts):
            self._append(self._backlog.take(counts), counts)

    def _append(self, context: mx.array, counts: Sequence[int]) -> None:
        """Keep the first counts[i] positions of row i of [rows, width, taps · hidden]; attends to nothing."""
        width = context.shape[1]
        self._state.begin(width, keeps_all=all(count == width for count in counts))
        layers = self._layers
        for layer, (keys, values) in zip(layers, self._model.project(context, layers[0].offset), strict=True):
            layer.update_and_fetch(keys, values)
        self._state.commit(counts)

    def _draft(self, rows: Sequence[DraftRow]) -> Proposals:
        """The whole block of every row, as the drafter was trained; what is asked for is all that is chosen of it."""
        self._read_backlog()
        predicted = self._predict(rows, max(row.plan.num_drafted for row in self._rows))
        drafted = [row.plan.num_drafted for row in self._rows]
        counts = drafted
        if predicted.confidence is not None:
            confident = to_lists(count_confident(predicted.confidence))
            counts = [min(pair) for pair in zip(drafted, confident, strict=True)]
        ids = predicted.ids[:, : max(counts)]
        mx.async_eval(ids)
        known = tuple(
            replace(self._parts.chain, length=count, num_doubted=most - count)
            for count, most in zip(counts, drafted, strict=True)
        )
        return Proposals(ids, mx.array(counts, dtype=mx.int32), known)

    def _predict(self, rows: Sequence[DraftRow], num_tokens: int) -> Predicted:
        spec, parts = self._model.spec, self._parts
        choices = [row.choice for row in rows]
        masks = [spec.mask_token_id] * (spec.block_size - 1)
        ids = mx.array([[row.pending, *masks] for row in rows], dtype=mx.int32)
        hidden = self._model(parts.embed(ids), self._held(), self._state.lengths)

        def choose(logits: mx.array, index: int) -> mx.array:
            return draw(parts.head.vocabulary.spread(logits), choices, index)

        return predict(self._model, hidden, ids[:, 0], parts.head.logits, choose, num_tokens)

    def _held(self) -> list[HeldTokens | None]:
        """What each layer's queries look at, without columns that no row's window reaches any more."""
        first = max(0, min(self._state.lengths) - CONTEXT_WINDOW)
        held = [layer.held() for layer in self._layers]
        reaches = self._model.spec.layers.reaches
        return [
            _from_column(tokens, first) if tokens and reach.window is None else tokens
            for tokens, reach in zip(held, reaches, strict=True)
        ]


def count_confident(confidence: mx.array) -> mx.array:
    """Leading tokens of each row that are likely enough: logits [rows, tokens] to [rows] int32."""
    likely = mx.sigmoid(confidence) >= LEAST_CONFIDENCE
    return mx.sum(mx.cumprod(likely.astype(mx.int32), axis=1), axis=1)


def block_chain(name: str, depth: int) -> Known:
    """What a drafter can write in one forward. Priors are those at which the paper's chats give its acceptance."""
    return Known(depth, Kind(name, _PRIORS[name]), per_forward=depth)


# arXiv 2602.06036 and DeepSpec, table 1, Qwen3-4B on MT-Bench with blocks of 7: 3.07 and 3.64 tokens a round.
_PRIORS = {"dflash": (0.68,), "dspark": (0.75,)}


def _is_late(state: DrafterState) -> bool:
    covered = state.covered
    return state.num_tokens > 0 and (covered is None or covered.num_tokens < state.num_tokens)


def _context_of(state: DrafterState) -> RowState | None:
    """What a row goes on with; nothing where its context ends before the target's, which would leave a gap."""
    if isinstance(state.unsaved, RowState):
        return state.unsaved
    return None if _is_late(state) else state.covered


def _from_column(tokens: HeldTokens, first: int) -> HeldTokens:
    keys, values, positions = tokens
    return HeldTokens(keys[:, :, first:], values[:, :, first:], positions[:, first:])
