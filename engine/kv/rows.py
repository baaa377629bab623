"""State of the target for some rows: one layout a layer, and membership applied to all of them together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mlx.core as mx

from engine.kv.extent import Extent
from engine.kv.full_attention import FullAttention


@dataclass(frozen=True, slots=True)
class RowState:
    """All layers' state of one row at an exact token count; compact, evaluated copies that no buffer shares."""

    num_tokens: int
    layers: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class StateChange:
    """A prepared change of membership: everything that can fail is done; `commit` only swaps."""

    commit: Callable[[], None]


class Rows(Protocol):
    """What a group needs of its rows' state; row i is batch index i of every layer."""

    max_rows: int
    can_rewind: bool  # whether `commit` may keep less than the forward appended

    @property
    def lengths(self) -> Sequence[int]: ...
    @property
    def layers(self) -> Sequence[Any]: ...  # what an mlx-lm model takes as its cache
    def begin(self, width: int) -> None: ...
    def commit(self, kept: Sequence[int]) -> None: ...
    def evaluate(self) -> None: ...
    def prepare_append(self, states: Sequence[RowState | None]) -> StateChange: ...  # None: an empty row
    def filter(self, keep: Sequence[int]) -> None: ...
    def extract(self, row: int) -> RowState: ...


class BatchedRows:
    """Rows of full-attention layers: any number, each with its own length, each rewound on its own."""

    can_rewind = True

    def __init__(self, num_layers: int, max_rows: int) -> None:
        self.max_rows = max_rows
        self._extent = Extent()
        self.layers = [FullAttention(self._extent) for _ in range(num_layers)]

    @property
    def lengths(self) -> Sequence[int]:
        return self._extent.lengths

    def begin(self, width: int) -> None:
        self._extent.begin(width)

    def commit(self, kept: Sequence[int]) -> None:
        self._extent.commit(kept)

    def evaluate(self) -> None:
        """Run what the last forward left lazy."""
        mx.eval([(layer.keys, layer.values) for layer in self.layers if layer.keys is not None])

    def prepare_append(self, states: Sequence[RowState | None]) -> StateChange:
        """Stage rows behind the present ones; they are evaluated here, and belong to the batch from `commit` on."""
        first = self._extent.num_rows
        lengths = [state.num_tokens if state else 0 for state in states]
        filled = {first + index: state for index, state in enumerate(states) if state is not None}
        staged = []
        if filled:
            num_columns = max([*self._extent.lengths, *lengths])
            staged = [
                layer.with_rows({row: state.layers[index] for row, state in filled.items()}, num_columns)
                for index, layer in enumerate(self.layers)
            ]
            mx.eval(staged)

        def commit() -> None:
            for layer, (keys, values) in zip(self.layers, staged, strict=False):
                layer.keys, layer.values = keys, values
            self._extent.lengths = [*self._extent.lengths, *lengths]

        return StateChange(commit)

    def filter(self, keep: Sequence[int]) -> None:
        for layer in self.layers:
            layer.filter(keep)
        self._extent.lengths = [self._extent.lengths[index] for index in keep]
        self.evaluate()

    def extract(self, row: int) -> RowState:
        state = RowState(self._extent.lengths[row], tuple(layer.extract(row) for layer in self.layers))
        mx.eval(state.layers)
        return state
