"""Quantised keys and values of one full-attention layer, for rows of unequal length.

Tokens before `start` attend to exact keys and values, those from `start` on to quantised ones, whichever forward they
come in; so the text does not depend on chunks, proposals or neighbours. All tokens are stored quantised; the exact ones
before `start` are kept beside them until no row is shorter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import mlx.core as mx

from engine.kv.buffers import Arrays, Buffers, Columns
from engine.kv.extent import Extent, Forward
from engine.kv.state import HeldTokens, LayerState
from engine.messages import KvScheme

Halves = tuple[Arrays, Arrays]  # exact keys and values, packed ones


class DelayedForward:
    """Geometry of one forward that may reach over `start`; all layers share its arrays."""

    def __init__(self, forward: Forward, start: int) -> None:
        self._forward = forward
        self._start = start
        self.is_exact = forward.end <= start
        self.is_packed = min(forward.lengths) >= start
        self.num_exact_columns = min(forward.end, start + 1)

    @cached_property
    def exact_columns(self) -> Columns:
        """Where the tokens go in the exact half; those from `start` on all into column `start`, which nobody reads."""
        forward = self._forward
        if self.is_exact:
            return forward.columns
        return Columns(forward.row_indices, mx.minimum(forward.positions, self._start), None)

    def mask(self, window_size: int | None, return_array: bool) -> mx.array | str | None:
        """As the forward's own; where both halves are fetched, over the columns of the exact one and the packed."""
        if self.is_exact or self.is_packed:
            return self._forward.mask(window_size, return_array)
        both = self._forward.array_mask(window_size)
        reads_exact = self._forward.positions[:, None, :, None] < self._start
        return mx.concatenate([both[..., : self.num_exact_columns] & reads_exact, both & ~reads_exact], axis=-1)


class QuantisedAttention:
    """One layer's keys and values, packed as mlx-lm's QuantizedKVCache packs them: weights, scales, biases of each.

    A row's state is its packed arrays, or its exact keys and values where it ends before `start`.
    """

    num_grown = 6
    num_fixed = 0

    def __init__(self, extent: Extent, scheme: KvScheme) -> None:
        self._extent = extent
        self._scheme = scheme
        self._exact = Buffers(limit=scheme.start + 1)
        self._packed = Buffers()
        self._is_marked = False
        self.group_size = scheme.group_size

    @property
    def offset(self) -> int | mx.array:
        return self._extent.forward.offset

    @property
    def bits(self) -> int:
        """Present where packed arrays are fetched: mlx-lm's attention unpacks those of a cache that has it."""
        if self._delayed.is_packed:
            return self._scheme.bits
        raise AttributeError("bits")

    @property
    def _delayed(self) -> DelayedForward:
        return self._extent.shared(DelayedForward, self._scheme.start)

    def make_mask(
        self, num_tokens: int, return_array: bool = False, window_size: int | None = None
    ) -> mx.array | str | None:
        assert num_tokens == self._extent.forward.width
        return self._delayed.mask(window_size, return_array)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Any, Any]:
        """Append after each row's length; returns keys and values, packed or exact as the forward needs them."""
        forward, delayed = self._extent.forward, self._delayed
        packed = self._packed.write(self._pack(keys, values), forward.columns, forward.end)
        if delayed.is_packed:
            return packed[:3], packed[3:]
        exact = self._exact.write((keys, values), delayed.exact_columns, delayed.num_exact_columns)
        if delayed.is_exact:
            return exact[0], exact[1]
        return self._both(exact[0], packed[:3]), self._both(exact[1], packed[3:])

    def begin(self) -> None:
        """A rewind is a change of lengths alone."""

    def commit(self, kept: Sequence[int]) -> None:
        """Release the exact half once no row needs it."""
        self._release([length + count for length, count in zip(self._extent.lengths, kept, strict=True)])

    def mark(self) -> None:
        """Keep the exact half while a row may yet go back before `start`."""
        self._is_marked = True

    def rewind(self, num_commits: Sequence[int]) -> None:
        """The extent's lengths say it all; a later commit releases the exact half."""
        self._is_marked = False

    def arrays(self) -> list[mx.array]:
        return [*self._exact.arrays, *self._packed.arrays]

    def held(self) -> HeldTokens | None:
        """All committed tokens, unpacked; those before `start` exact where they are kept. None while there is none."""
        if not self._packed.arrays:
            return None
        positions = self._extent.held_positions()
        packed = self._packed.held(*positions.shape)
        keys, values = (self._unpack(half) for half in (packed[:3], packed[3:]))
        if self._exact.arrays:
            num_exact = min(self._scheme.start, positions.shape[1])
            first = self._exact.held(len(positions), num_exact)
            keys, values = (
                mx.concatenate([exact, half[:, :, num_exact:]], axis=2)
                for exact, half in zip(first, (keys, values), strict=True)
            )
        return HeldTokens(keys, values, positions)

    def extract(self, row: int, start: int = 0) -> LayerState:
        length = self._extent.lengths[row]
        half = self._exact if length < self._scheme.start else self._packed
        return LayerState(half.extract(row, slice(start, length)))

    def stage(self, rows: Mapping[int, LayerState]) -> Halves:
        exact = {row: state.grown for row, state in rows.items() if len(state.grown) < self.num_grown}
        packed = {row: self._pack(*exact[row]) if row in exact else state.grown for row, state in rows.items()}
        lengths = [*self._extent.lengths, *(arrays[0].shape[2] for arrays in packed.values())]
        num_exact_columns = min(max(lengths), self._scheme.start + 1)
        staged = self._exact.stage(exact, num_exact_columns) if exact else self._exact.arrays
        return staged, self._packed.stage(packed, max(lengths))

    def adopt(self, staged: Halves) -> None:
        self._exact.arrays, self._packed.arrays = staged

    def filter(self, keep: Sequence[int]) -> None:
        longest = self._extent.longest(keep)
        self._exact.filter(keep, min(longest, self._scheme.start + 1))
        self._packed.filter(keep, longest)
        self._release([self._extent.lengths[row] for row in keep])

    def _release(self, lengths: Sequence[int]) -> None:
        if not self._is_marked and all(length >= self._scheme.start for length in lengths):
            self._exact.arrays = ()

    def _pack(self, keys: mx.array, values: mx.array) -> Arrays:
        group_size, bits = self.group_size, self._scheme.bits
        return (
            *mx.quantize(keys, group_size=group_size, bits=bits),
            *mx.quantize(values, group_size=group_size, bits=bits),
        )

    def _both(self, exact: mx.array, packed: Arrays) -> mx.array:
        return mx.concatenate([exact, self._unpack(packed)], axis=2)

    def _unpack(self, packed: Arrays) -> mx.array:
        weights, scales, biases = packed
        return mx.dequantize(weights, scales, biases, group_size=self.group_size, bits=self._scheme.bits)
