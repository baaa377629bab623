"""State of one row in mlx-lm's own caches, for models whose layers have no layout here that can be rewound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import make_prompt_cache

from engine.kv.rows import StateChange
from engine.kv.state import RowState, StateShape


class SingleRow:
    """At most one row, which keeps every token that it is fed."""

    max_rows = 1
    can_rewind = False
    shape: StateShape | None = None

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._width = 0
        self.lengths: list[int] = []
        self.layers: Sequence[Any] = ()

    def begin(self, width: int, keeps_all: bool = False) -> None:
        self._width = width

    def commit(self, kept: Sequence[int]) -> None:
        """Keep the whole forward; a row that keeps nothing of it has failed and may only leave."""
        (count,) = kept
        assert count in (0, self._width), f"a single row keeps all of {self._width} tokens, not {count}"
        self.lengths = [self.lengths[0] + count]

    def evaluate(self) -> None:
        mx.eval([layer.state for layer in self.layers])

    def prepare_append(self, states: Sequence[RowState | None]) -> StateChange:
        """Take over a row's caches; the state that they came in must not be used afterwards."""
        assert not self.lengths
        (state,) = states
        layers = tuple(make_prompt_cache(self._model)) if state is None else state.layers

        def commit() -> None:
            self.layers = layers
            self.lengths = [0 if state is None else state.num_tokens]

        return StateChange(commit)

    def filter(self, keep: Sequence[int]) -> None:
        if not keep:
            self.layers, self.lengths = (), []

    def extract(self, row: int, start: int = 0) -> RowState:
        """The caches themselves: a move, since these kinds have no copy."""
        assert (row, start) == (0, 0)
        return RowState(self.lengths[0], tuple(self.layers))

    @property
    def num_bytes(self) -> int:
        return sum(layer.nbytes for layer in self.layers)
