"""The port of every drafter: what is loaded once for a target, and the rows that use it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import mlx.core as mx

from engine.drafters.suffix_store import SuffixStore
from engine.kv.rows import StateChange
from engine.messages import ModelFacts, Progress
from engine.sampling import Choice

NO_LIMIT = sys.maxsize  # context length of a drafter that covers rows of any length


@dataclass(frozen=True, slots=True)
class TargetView:
    """What a drafter may know of its target; a target port that a drafter needs becomes a field here."""

    vocab_size: int
    context_length: int  # tokens
    ports: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DraftRow:
    """All of a row that a drafter sees: its pending token, and how the target chooses the token after that.

    A drafter that draws does it with the same choice, one position on for each further token: then noise is shared.
    """

    pending: int
    choice: Choice

    @property
    def step(self) -> int:
        """Position in the reply of the token after the pending one."""
        return self.choice.position


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

    def prefill(self, chunks: Sequence[Sequence[int]], context: mx.array | None) -> None: ...  # equally long, one a row
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
    context_length: int  # tokens that a row may have before it proposes nothing more for it

    def open(self, target: TargetView) -> DraftRows: ...


@dataclass(frozen=True, slots=True)
class DrafterSource:
    """What a drafter is loaded from, and for which target."""

    path: str  # of its weights, as the user gave it; "" where its kind has none
    target: ModelFacts
    replies: SuffixStore  # past replies in the target's tokens
    data_dir: Path  # holds imported models


DrafterStep = Progress | Drafter
LoadDrafter = Callable[[DrafterSource], Iterator[DrafterStep]]  # ends with the drafter; raises ModelError


def pack(proposals: Sequence[Sequence[int]]) -> Proposals:
    """Proposals that the host already knows, as padded arrays."""
    depth = max(map(len, proposals), default=0)
    padded = [[*ids, *[0] * (depth - len(ids))] for ids in proposals]
    ids = mx.array(padded, dtype=mx.int32).reshape(len(proposals), depth)
    return Proposals(ids, mx.array([len(ids) for ids in proposals], dtype=mx.int32))


def pick(parts: Sequence[Proposals], order: Sequence[int]) -> Proposals:
    """Rows of several proposals, counted through all of them, in the given order; lazy."""
    if len(parts) == 1 and list(order) == list(range(parts[0].ids.shape[0])):
        return parts[0]
    depth = max(part.ids.shape[1] for part in parts)
    padded = [mx.pad(part.ids, [(0, 0), (0, depth - part.ids.shape[1])]) for part in parts]
    index = mx.array(list(order), dtype=mx.int32)
    counts = mx.concatenate([part.num_proposed for part in parts])
    return Proposals(mx.take(mx.concatenate(padded), index, axis=0), mx.take(counts, index))


def to_lists(array: mx.array) -> Any:
    """Nested lists of Python numbers; MLX types them as if they could be a single number."""
    return array.tolist()
