"""State of the target for some rows: one layout a layer, and membership applied to all of them together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import make_prompt_cache

from engine.kv.extent import Extent
from engine.kv.layout import Layout, open_layouts
from engine.kv.mixers import prepare_mixers
from engine.kv.nested import Nested, leaves_of
from engine.kv.state import RowState, StateShape
from engine.messages import UNQUANTISED, KvScheme

MAX_ROWS = 8  # of a batch


@dataclass(frozen=True, slots=True)
class StateChange:
    """A prepared change of membership: everything that can fail is done; `commit` only swaps."""

    commit: Callable[[], None]


class Rows(Protocol):
    """What a group needs of its rows' state; row i is batch index i of every layer."""

    max_rows: int
    can_rewind: bool  # whether `commit` may keep less than the forward appended
    shape: StateShape | None  # of a row's state, where it can be kept and restored

    @property
    def lengths(self) -> Sequence[int]: ...
    @property
    def layers(self) -> Sequence[Any]: ...  # what an mlx-lm model takes as its cache
    def begin(self, width: int, keeps_all: bool = False) -> None: ...  # keeps_all: nothing of it will be rewound
    def commit(self, kept: Sequence[int]) -> None: ...
    def evaluate(self) -> None: ...
    def prepare_append(self, states: Sequence[RowState | None]) -> StateChange: ...  # None: an empty row
    def filter(self, keep: Sequence[int]) -> None: ...
    def extract(self, row: int, start: int = 0) -> RowState: ...
    @property
    def num_bytes(self) -> int: ...


class BatchedRows:
    """Any number of rows, each with its own length, each rewound on its own; every layer has a layout that can."""

    can_rewind = True

    def __init__(self, layers: Sequence[Layout | Nested], extent: Extent, max_rows: int, minimum: int = 0) -> None:
        """`minimum`: tokens before which a row's state is kept in another form, and is not to be restored."""
        self.max_rows = max_rows
        self.layers = layers
        self._leaves: list[Layout] = leaves_of(layers)
        self.shape: StateShape | None = StateShape(
            tuple(leaf.num_grown for leaf in self._leaves), tuple(leaf.num_fixed for leaf in self._leaves), minimum
        )
        self._extent = extent
        self._marked: list[int] = []

    @property
    def lengths(self) -> Sequence[int]:
        return self._extent.lengths

    def begin(self, width: int, keeps_all: bool = False) -> None:
        self._extent.begin(width, keeps_all)
        for layer in self._leaves:
            layer.begin()

    def commit(self, kept: Sequence[int]) -> None:
        for layer in self._leaves:
            layer.commit(kept)
        self._extent.commit(kept)

    def mark(self) -> None:
        """Remember the present state, so that what later forwards append can be taken back over several of them."""
        self._marked = list(self._extent.lengths)
        for layer in self._leaves:
            layer.mark()

    def rewind(self, kept: Sequence[int]) -> None:
        """Go back to the mark and the first kept[i] tokens of row i since; each forward has appended one or none."""
        for layer in self._leaves:
            layer.rewind(kept)
        self._extent.lengths = [length + count for length, count in zip(self._marked, kept, strict=True)]

    def evaluate(self) -> None:
        """Run what is still lazy."""
        mx.eval([layer.arrays() for layer in self._leaves])

    def prepare_append(self, states: Sequence[RowState | None]) -> StateChange:
        """Stage rows behind the present ones; they are evaluated here, and belong to the batch from `commit` on."""
        first = self._extent.num_rows
        lengths = [state.num_tokens if state else 0 for state in states]
        filled = {first + index: state for index, state in enumerate(states) if state is not None}
        staged = []
        if filled:
            for index, layer in enumerate(self._leaves):
                staged.append(layer.stage({row: state.layers[index] for row, state in filled.items()}))
            mx.eval(staged)

        def commit() -> None:
            for layer, buffers in zip(self._leaves, staged, strict=False):
                layer.adopt(buffers)
            self._extent.lengths = [*self._extent.lengths, *lengths]

        return StateChange(commit)

    def filter(self, keep: Sequence[int]) -> None:
        for layer in self._leaves:
            layer.filter(keep)
        self._extent.lengths = [self._extent.lengths[index] for index in keep]
        self.evaluate()

    def extract(self, row: int, start: int = 0) -> RowState:
        """One row's state; of what grows, the columns of the first `start` tokens are left out."""
        layers = tuple(layer.extract(row, start) for layer in self._leaves)
        state = RowState(self._extent.lengths[row], layers, start)
        mx.eval(list(state.arrays()))
        return state

    @property
    def num_bytes(self) -> int:
        """Memory that the rows take, spare columns included."""
        return sum(array.nbytes for leaf in self._leaves for array in leaf.arrays())


def open_rows(model: nn.Module, max_rows: int, kv_scheme: KvScheme = UNQUANTISED) -> BatchedRows:
    """Empty rows of a model whose every cache has a layout."""
    extent = Extent()
    prepare_mixers(model)
    minimum = kv_scheme.start if kv_scheme.bits else 0
    return BatchedRows(open_layouts(make_prompt_cache(model), extent, kv_scheme), extent, max_rows, minimum)
