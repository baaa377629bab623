"""A second, smaller model with the target's tokenizer, which writes ahead token by token.

Source: Leviathan et al. 2023, arXiv:2211.17192; tokens are drawn with the target's own noise, so that a proposal is
right wherever both models' draws agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import mlx.core as mx
import mlx.nn as nn

from engine.drafters.base import (
    DrafterSource,
    DrafterState,
    DrafterStep,
    DraftRow,
    Known,
    Proposals,
    TargetView,
)
from engine.drafters.ngram import MAX_DEPTH
from engine.drafters.planned import Plan, combine
from engine.drafters.vocabulary import fit_vocabulary
from engine.drafters.weights import num_bytes_of
from engine.forecast import Kind
from engine.kv.rows import MAX_ROWS, StateChange, open_rows
from engine.kv.state import RowState, StateKind
from engine.messages import UNQUANTISED, ModelFacts
from engine.models.bring import bring_model
from engine.models.load import LoadedModel
from engine.models.memory import loaded_bytes
from engine.models.pairing import check_pair
from engine.prompt_cache.identity import stream_of
from engine.sampling import Choice, draw

CHAIN_DEPTH = 4  # tokens that the model writes in a round; each costs a forward of its own
CATCH_UP = 512  # tokens in one forward for a row that the model has not followed for a while
TOKENS_WITH_LOGITS = 4  # a forward that is wider leaves its output unevaluated

CHAIN = Known(CHAIN_DEPTH, Kind("model", (0.7, 0.7, 0.7, 0.7)))


@dataclass(slots=True)
class ModelRow:
    """One row's tokens; the model's state may lag behind them, and catches up when it drafts again."""

    token_ids: Sequence[int] = ()
    num_tokens: int = 0  # of them before the pending one
    plan: Plan = field(default_factory=Plan)

    def see(self, seen: DraftRow, depth: int, context_length: int) -> None:
        """Plan a round for it."""
        self.token_ids = seen.history
        self.plan.make(seen, depth, min(CHAIN_DEPTH, context_length - len(self.token_ids)))


class ModelRows:
    """The drafting model's state of some rows, rewound by row like the target's.

    It covers a prefix of each row's tokens: a fully accepted round leaves the last drafted token unread, a round
    without drafting all of its tokens. The next round that drafts reads them together with the pending one.
    """

    def __init__(self, model: nn.Module, facts: ModelFacts, target: TargetView) -> None:
        self._model = model
        self._facts = facts
        self._vocab_size = target.vocab_size
        self._state = open_rows(model, MAX_ROWS)
        self._rows: list[ModelRow] = []

    def prefill(self, chunks: Sequence[Sequence[int]], context: mx.array | None) -> None:
        for row, chunk in zip(self._rows, chunks, strict=True):
            row.token_ids = [*row.token_ids[: row.num_tokens], *chunk]
            row.num_tokens += len(chunk)
        room = max([CATCH_UP, *map(len, chunks)])  # of a row that was restored, the drafter may have read less
        while room > 0 and (width := max(map(self._num_unread, range(len(self._rows))), default=0)):
            self._catch_up(min(width, room))
            room -= CATCH_UP

    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals:
        for row, seen, depth in zip(self._rows, rows, depths, strict=True):
            row.see(seen, depth, self._facts.context_length)
        self._let_lagging_rows_read()
        is_drafting = any(row.plan.num_drafted for row in self._rows)
        drafted = self._draft([seen.choice for seen in rows]) if is_drafting else None
        return combine([row.plan for row in self._rows], drafted)

    def commit(self, kept: Sequence[int], context: mx.array | None) -> None:
        if any(row.plan.num_drafted for row in self._rows):
            self._state.rewind(
                [max(0, min(count, row.plan.num_drafted) - 1) for row, count in zip(self._rows, kept, strict=True)]
            )
        for row, count in zip(self._rows, kept, strict=True):
            row.num_tokens += count
            row.plan.num_drafted = 0

    def prepare_append(self, states: Sequence[DrafterState | None]) -> StateChange:
        covered: list[RowState | None] = [state.covered if state else None for state in states]
        change = self._state.prepare_append(covered)
        staged = [ModelRow(state.token_ids, state.num_tokens) if state else ModelRow() for state in states]

        def commit() -> None:
            change.commit()
            self._rows.extend(staged)

        return StateChange(commit)

    def filter(self, keep: Sequence[int]) -> None:
        self._state.filter(keep)
        self._rows = [self._rows[index] for index in keep]

    def capture(self, row: int, start: int = 0) -> DrafterState:
        """The row's tokens, and the model's state of those that it has read."""
        token_ids = tuple(self._rows[row].token_ids[: self._rows[row].num_tokens])
        covered = self._state.extract(row, start) if self._state.lengths[row] > start else None
        return DrafterState(len(token_ids), token_ids, covered)

    @property
    def num_bytes(self) -> int:
        return self._state.num_bytes

    def _draft(self, choices: Sequence[Choice]) -> Proposals:
        """Read what is unread, then write token by token; nothing waits for the device."""
        drafting = [index for index, row in enumerate(self._rows) if row.plan.num_drafted]
        while (width := max(map(self._num_unread, drafting))) > TOKENS_WITH_LOGITS:
            self._catch_up(width, num_left=1)  # logits are needed after the pending token
        logits, counts = self._read(width)
        last = mx.array([max(count - 1, 0) for count in counts], dtype=mx.int32)[:, None, None]
        drafted = [self._choose(mx.take_along_axis(logits, last, axis=1), choices, 0)]
        self._state.mark()
        for step in range(1, max(row.plan.num_drafted for row in self._rows)):
            self._state.begin(1)
            logits = self._model(drafted[-1], cache=self._state.layers)
            self._state.commit([1] * len(self._rows))
            drafted.append(self._choose(logits, choices, step))
        ids = mx.concatenate(drafted, axis=1)
        mx.async_eval(ids)
        counts = [row.plan.num_drafted for row in self._rows]
        return Proposals(ids, mx.array(counts, dtype=mx.int32), tuple(Known(count, CHAIN.kind) for count in counts))

    def _let_lagging_rows_read(self) -> None:
        """One forward's worth of what rows lag behind by; no row drafts then, since that would count as its cost."""
        if any(row.plan.num_drafted and self._num_unread(index) > CATCH_UP for index, row in enumerate(self._rows)):
            self._catch_up(CATCH_UP, num_left=1)
            for row in self._rows:
                row.plan.num_drafted = 0

    def _num_unread(self, index: int) -> int:
        """Tokens of a row that the model has to read yet; it reads none of a row that its context cannot hold."""
        num_tokens = len(self._rows[index].token_ids)
        return num_tokens - self._state.lengths[index] if num_tokens <= self._facts.context_length else 0

    def _catch_up(self, width: int, num_left: int = 0) -> None:
        """Read tokens of every row but its last `num_left`, as many as a forward should hold; computes no logits."""
        self._read(min(width - num_left, CATCH_UP), num_left)
        self._state.evaluate()

    def _read(self, width: int, num_left: int = 0) -> tuple[mx.array, list[int]]:
        """Read up to `width` unread tokens of every row, padded right: logits after each, and how many were read."""
        counts = [min(width, max(0, self._num_unread(index) - num_left)) for index in range(len(self._rows))]
        windows = []
        for row, start, count in zip(self._rows, self._state.lengths, counts, strict=True):
            token_ids = row.token_ids[start : start + count]
            windows.append(
                [min(token_id, self._facts.vocab_size - 1) for token_id in token_ids] + [0] * (width - count)
            )
        self._state.begin(width, keeps_all=all(count == width for count in counts))
        logits = self._model(mx.array(windows, dtype=mx.int32), cache=self._state.layers)
        self._state.commit(counts)
        return logits, counts

    def _choose(self, logits: mx.array, choices: Sequence[Choice], step: int) -> mx.array:
        """The token `step` positions on for every row, with the noise of the target's choice there; [rows, 1]."""
        return draw(fit_vocabulary(logits, self._vocab_size)[:, 0], choices, step)[:, None]


class ModelDrafter:
    needs: frozenset[str] = frozenset()
    tap_layers: tuple[int, ...] = ()
    max_depth = MAX_DEPTH  # of a copy
    chain = CHAIN

    def __init__(self, loaded: LoadedModel) -> None:
        self._loaded = loaded
        self.identity = f"model:{loaded.facts.folder}"
        self.weight_bytes = num_bytes_of(loaded.model)
        self.kv_bytes_per_token = loaded.facts.kv_bytes_per_token
        self.context_length = loaded.facts.context_length
        shape = open_rows(loaded.model, MAX_ROWS).shape
        assert shape is not None
        stream = stream_of("drafter", loaded.facts, loaded.content, UNQUANTISED)
        self.state_kind: StateKind | None = StateKind(stream, shape)

    def open(self, target: TargetView) -> ModelRows:
        return ModelRows(self._loaded.model, self._loaded.facts, target)


def load_model_drafter(source: DrafterSource) -> Iterator[DrafterStep]:
    def check(facts: ModelFacts) -> None:
        check_pair(source.target, facts)
        source.admit(loaded_bytes(facts))

    loaded = yield from bring_model(source.path, source.data_dir, check)
    yield ModelDrafter(loaded)
