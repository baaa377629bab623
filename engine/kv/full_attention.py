"""Keys and values of one full-attention layer, for rows of unequal length.

A token's column is its absolute position. What a rejected proposal left behind lies past its row's length, where the
mask hides it until the next forward overwrites it; so a rewind touches no array. mlx-lm's BatchKVCache has one write
index for all rows and cannot hold rows that accepted unequal counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mlx.core as mx

from engine.kv.buffers import Arrays, Buffers
from engine.kv.extent import Extent
from engine.kv.state import HeldTokens, LayerState


class FullAttention:
    """One layer's keys and values; speaks mlx-lm's cache interface (`offset`, `update_and_fetch`, `make_mask`).

    Keys and values may differ in head size, as in latent attention. Attention that picks the tokens it reads keeps the
    keys of its picking in one of these, too, and sets the arrays themselves: values that nobody reads, and keys that
    are computed no later than those beside them.
    """

    num_grown = 2
    num_fixed = 0

    def __init__(self, extent: Extent) -> None:
        self._extent = extent
        self._buffers = Buffers()

    @property
    def offset(self) -> int | mx.array:
        return self._extent.forward.offset

    @property
    def keys(self) -> mx.array:
        """All columns, spare ones too."""
        return self._buffers.arrays[0]

    @keys.setter
    def keys(self, keys: mx.array) -> None:
        self._buffers.arrays = (keys, self.values)

    @property
    def values(self) -> mx.array:
        return self._buffers.arrays[1]

    @values.setter
    def values(self, values: mx.array) -> None:
        self._buffers.arrays = (self.keys, values)

    def make_mask(
        self, num_tokens: int, return_array: bool = False, window_size: int | None = None
    ) -> mx.array | str | None:
        assert num_tokens == self._extent.forward.width
        return self._extent.forward.mask(window_size, return_array)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> Arrays:
        """Append [rows, heads, width, head size] after each row's length; returns all columns up to the last end."""
        forward = self._extent.forward
        return self._buffers.write((keys, values), forward.columns, forward.end)

    def begin(self) -> None:
        """A rewind is a change of lengths alone."""

    def commit(self, kept: Sequence[int]) -> None:
        """The extent's lengths say it all."""

    def mark(self) -> None:
        """Every earlier length is still held."""

    def rewind(self, num_commits: Sequence[int]) -> None:
        """The extent's lengths say it all."""

    def arrays(self) -> list[mx.array]:
        return list(self._buffers.arrays)

    def held(self) -> HeldTokens | None:
        """All committed tokens; None while there is none."""
        if not self._buffers.arrays:
            return None
        positions = self._extent.held_positions()
        keys, values = self._buffers.held(*positions.shape)
        return HeldTokens(keys, values, positions)

    def extract(self, row: int, start: int = 0) -> LayerState:
        """Keys and values of one row, [1, heads, length - start, head size]."""
        return LayerState(self._buffers.extract(row, slice(start, self._extent.lengths[row])))

    def stage(self, rows: Mapping[int, LayerState]) -> Arrays:
        tokens = {row: state.grown for row, state in rows.items()}
        lengths = [keys.shape[2] for keys, _ in tokens.values()]
        return self._buffers.stage(tokens, max([*self._extent.lengths, *lengths]))

    def adopt(self, staged: Arrays) -> None:
        self._buffers.arrays = staged

    def filter(self, keep: Sequence[int]) -> None:
        self._buffers.filter(keep, self._extent.longest(keep))
