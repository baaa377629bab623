"""Keys and values of one sliding-window layer, for rows of unequal length: a ring for each row.

The ring has room for the window and the widest verify, so that what a rewind needs is never overwritten: a rewind is a
change of lengths alone, after the wrap too, where mlx-lm's RotatingKVCache has lost it. A rejected token's column
counts as the position one turn earlier, which lies outside the window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mlx.core as mx

from engine.kv.buffers import Arrays, Buffers
from engine.kv.extent import Extent
from engine.kv.ring import RingForward, ring_columns, ring_positions
from engine.kv.state import HeldTokens, LayerState

WIDEST_VERIFY = 17  # a depth of 16 and the pending token; a wider forward is held back until it is committed


class Window:
    """One layer's rings; a row's state is its last `window` tokens in order, and where they end."""

    num_grown = 0
    num_fixed = 3

    def __init__(self, extent: Extent, window: int) -> None:
        self._extent = extent
        self._window = window
        self._capacity = window + WIDEST_VERIFY - 1
        self._buffers = Buffers(limit=self._capacity)
        self._held_back: Arrays = ()  # tokens of a wide forward until they are committed

    @property
    def offset(self) -> int | mx.array:
        return self._extent.forward.offset

    @property
    def _ring(self) -> RingForward:
        return self._extent.shared(RingForward, self._window, self._capacity)

    def make_mask(
        self, num_tokens: int, return_array: bool = False, window_size: int | None = None
    ) -> mx.array | str | None:
        assert num_tokens == self._extent.forward.width
        assert window_size in (None, self._window), f"a ring for {self._window} tokens is asked for {window_size}"
        return self._ring.mask(return_array)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> Arrays:
        """Append [rows, heads, width, head size] after each row's length; returns all that the mask speaks of."""
        ring = self._ring
        if not ring.is_wide:
            return self._buffers.write((keys, values), ring.columns, ring.num_columns)
        self._held_back = (keys, values)
        self._buffers.grow(self._held_back, self._capacity)
        held = self._buffers.read(len(keys), self._capacity)
        return tuple(mx.concatenate([old, new], axis=2) for old, new in zip(held, self._held_back, strict=True))

    def begin(self) -> None:
        """Drop a wide forward that was never committed; any other rewind is a change of lengths alone."""
        self._held_back = ()

    def commit(self, kept: Sequence[int]) -> None:
        """Write what is kept of a wide forward; else the extent's lengths say it all."""
        if not self._held_back:
            return
        starts = mx.array(self._extent.forward.lengths, dtype=mx.int32)
        ends = starts + mx.array(list(kept), dtype=mx.int32)
        sources = ring_positions(ends - 1, self._capacity) - starts[:, None]
        self._buffers.replace(self._held_back, sources)
        self._held_back = ()

    def mark(self) -> None:
        """A row that goes back by less than the widest verify finds its whole window."""

    def rewind(self, num_commits: Sequence[int]) -> None:
        """The extent's lengths say it all."""

    def arrays(self) -> list[mx.array]:
        return [*self._buffers.arrays, *self._held_back]

    def held(self) -> HeldTokens | None:
        """Every row's last `window` tokens, in the ring's order; None while there is none."""
        if not self._buffers.arrays:
            return None
        lengths = mx.array(self._extent.lengths, dtype=mx.int32)
        num_columns = min(max(self._extent.lengths), self._capacity)
        positions = ring_positions(lengths - 1, self._capacity)[:, :num_columns]
        positions = mx.where(positions >= lengths[:, None] - self._window, positions, -1)  # older ones may be rejected
        keys, values = self._buffers.held(len(lengths), num_columns)
        return HeldTokens(keys, values, positions)

    def extract(self, row: int, start: int = 0) -> LayerState:
        """Keys and values of the last tokens, [1, heads, up to the window, head size], and the row's length, [1]."""
        length = self._extent.lengths[row]
        columns = ring_columns(max(0, length - self._window), length, self._capacity)
        keys, values = self._buffers.extract(row, columns)
        return LayerState(fixed=(keys, values, mx.array([length], dtype=mx.int32)))

    def stage(self, rows: Mapping[int, LayerState]) -> Arrays:
        kept = {row: [array for array in state.fixed if array is not None] for row, state in rows.items()}
        num_columns = self._num_columns(max([*self._extent.lengths, *(keys.shape[2] for keys, _, _ in kept.values())]))
        placed = {row: self._placed(arrays, num_columns) for row, arrays in kept.items()}
        return self._buffers.stage(placed, num_columns)

    def adopt(self, staged: Arrays) -> None:
        self._buffers.arrays = staged

    def filter(self, keep: Sequence[int]) -> None:
        self._buffers.filter(keep, self._num_columns(self._extent.longest(keep)))

    def _num_columns(self, longest: int) -> int:
        """Columns that rows of up to this length need; the whole ring where a row may have wrapped."""
        return longest if longest < self._window else self._capacity

    def _placed(self, kept: Sequence[mx.array], num_columns: int) -> Arrays:
        """A row's tokens in the columns of this ring, whatever ring they come from."""
        *tokens, length = kept
        num_tokens = tokens[0].shape[2]
        if num_tokens < self._window:
            return tuple(tokens)
        sources = ring_positions(length - 1, self._capacity)[0] - (length - num_tokens)
        is_held = (sources >= 0)[:, None]
        return tuple(
            mx.where(is_held, mx.take(array, mx.maximum(sources, 0), axis=2), mx.zeros((), array.dtype))
            for array in tokens
        )
