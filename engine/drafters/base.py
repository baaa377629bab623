"""The port of every drafter: what is loaded once for a target, and the rows that use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mlx.core as mx

from engine.kv.rows import StateChange


@dataclass(frozen=True, slots=True)
class TargetView:
    """What a drafter may know of its target; a target port that a drafter needs becomes a field here."""

    vocab_size: int
    context_length: int  # tokens
    ports: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DraftRow:
    """All of a row that a drafter sees: its pending token, and the position in the reply of the token after that."""

    pending: int
    step: int


@dataclass(frozen=True, slots=True)
class Proposals:
    """ids [rows, depth] padded right, num_proposed [rows]: int32, possibly lazy; an empty proposal is normal."""

    ids: mx.array
    num_proposed: mx.array


@dataclass(frozen=True, slots=True)
class DrafterState:
    """Companion state of one row, exact at `num_tokens`; the pending token is not covered."""

    num_tokens: int
    data: Any


class DraftRows(Protocol):
    """Companion state of some rows, which covers each row's tokens before its pending one."""

    def prefill(self, token_ids: Sequence[int], context: mx.array | None) -> None: ...  # every row gets the same tokens
    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals: ...
    def commit(self, kept: Sequence[int], context: mx.array | None) -> None: ...  # window positions: pending + accepted
    def prepare_append(self, states: Sequence[DrafterState | None]) -> StateChange: ...  # None: a cold row
    def filter(self, keep: Sequence[int]) -> None: ...
    def capture(self, row: int) -> DrafterState: ...


class Drafter(Protocol):
    """Loaded once for a target; the target's distribution must not depend on it."""

    identity: str  # goes into the key of its checkpoints
    weight_bytes: int
    needs: frozenset[str]  # target ports it asks for
    tap_layers: tuple[int, ...]  # target layers whose outputs it is fed
    max_depth: int

    def open(self, target: TargetView) -> DraftRows: ...


def pack(proposals: Sequence[Sequence[int]]) -> Proposals:
    """Proposals that the host already knows, as padded arrays."""
    depth = max(map(len, proposals), default=0)
    padded = [[*ids, *[0] * (depth - len(ids))] for ids in proposals]
    ids = mx.array(padded, dtype=mx.int32).reshape(len(proposals), depth)
    return Proposals(ids, mx.array([len(ids) for ids in proposals], dtype=mx.int32))
