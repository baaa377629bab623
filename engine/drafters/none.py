"""The drafter that proposes nothing: plain decoding on the same path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import mlx.core as mx

from engine.drafters.base import NO_LIMIT, NOTHING, DrafterSource, DrafterState, DraftRow, Proposals, TargetView, pack
from engine.kv.rows import StateChange
from engine.kv.state import StateKind


class NoDrafter:
    identity = "none"
    weight_bytes = 0
    kv_bytes_per_token = 0
    needs: frozenset[str] = frozenset()
    tap_layers: tuple[int, ...] = ()
    max_depth = 0
    chain = NOTHING
    context_length = NO_LIMIT
    state_kind: StateKind | None = None

    def open(self, target: TargetView) -> NoDraftRows:
        return NoDraftRows()


class NoDraftRows:
    """Stateless: every token count is covered."""

    num_bytes = 0

    def prefill(self, chunks: Sequence[Sequence[int]], context: mx.array | None) -> None:
        pass

    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals:
        return pack([()] * len(rows))

    def commit(self, kept: Sequence[int], context: mx.array | None) -> None:
        pass

    def prepare_append(self, states: Sequence[DrafterState | None]) -> StateChange:
        return StateChange(lambda: None)

    def filter(self, keep: Sequence[int]) -> None:
        pass

    def capture(self, row: int, start: int = 0) -> DrafterState:
        return DrafterState(0)


def load_none(source: DrafterSource) -> Iterator[NoDrafter]:
    yield NoDrafter()
