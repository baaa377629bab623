"""The state of one row outside of a batch, in a form that can be cut at a token and kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import mlx.core as mx

from engine.prompt_cache.entries import Stream


@dataclass(frozen=True, slots=True)
class LayerState:
    """What one layer holds of one row.

    grown: arrays [1, heads, tokens, size] with a column for each token. fixed: arrays that are exact at the row's end
    alone, None where nothing was read.
    """

    grown: tuple[mx.array, ...] = ()
    fixed: tuple[mx.array | None, ...] = ()


class HeldTokens(NamedTuple):
    """Keys and values that a layer holds, [rows, heads, columns, size], and each column's position in its row.

    positions [rows, columns] int32: below 0 where a column holds no committed token of its row.
    """

    keys: mx.array
    values: mx.array
    positions: mx.array


@dataclass(frozen=True, slots=True)
class StateShape:
    """How many arrays each layer has of either kind, and the shortest prefix that can be restored."""

    num_grown: tuple[int, ...]
    num_fixed: tuple[int, ...]
    minimum: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether a row can be restored only where its whole state was kept, not at any earlier token."""
        return any(self.num_fixed)

    def split(self, grown: Sequence[mx.array], fixed: Sequence[mx.array | None]) -> tuple[LayerState, ...]:
        """The layers' states out of all arrays of either kind, in the layers' order."""
        growing, exact = iter(grown), iter(fixed)
        return tuple(
            LayerState(tuple(islice(growing, num_grown)), tuple(islice(exact, num_fixed)))
            for num_grown, num_fixed in zip(self.num_grown, self.num_fixed, strict=True)
        )


@dataclass(frozen=True, slots=True)
class StateKind:
    """Which states can stand for each other, and how they are made up."""

    stream: Stream
    shape: StateShape


@dataclass(frozen=True, slots=True)
class RowState:
    """All layers' state of one row at an exact token count; compact, evaluated copies that no buffer shares.

    `layers` are LayerStates, or mlx-lm's own caches of a model that has no layouts. `grown` arrays lack the columns of
    the first `start` tokens.
    """

    num_tokens: int
    layers: tuple[Any, ...]
    start: int = 0

    @property
    def grown(self) -> tuple[mx.array, ...]:
        return tuple(array for layer in self.layers for array in layer.grown)

    @property
    def fixed(self) -> tuple[mx.array | None, ...]:
        return tuple(array for layer in self.layers for array in layer.fixed)

    def arrays(self) -> Iterator[mx.array]:
        """Every array, layer by layer."""
        for layer in self.layers:
            yield from layer.grown
            yield from (array for array in layer.fixed if array is not None)
