"""Positions in a ring of columns: position p of a row lies in column p % capacity."""

from __future__ import annotations

from functools import cached_property

import mlx.core as mx

from engine.kv.buffers import Columns
from engine.kv.extent import Forward


def ring_positions(last: mx.array, capacity: int) -> mx.array:
    """The position that each column holds once `last` [...] is written, [..., capacity]; below 0 where none is."""
    last = last[..., None]
    return last - (last - mx.arange(capacity, dtype=mx.int32)) % capacity


def ring_columns(start: int, end: int, capacity: int) -> mx.array:
    """Columns of positions [start, end), in order."""
    return mx.arange(start, end, dtype=mx.int32) % capacity


class RingForward:
    """Geometry of one forward over rings of one capacity; all layers share its arrays.

    A forward that the ring has room for beside the window is written at once. A wider one (a chunk of a prompt) would
    overwrite what its first tokens attend to: it attends to the ring and to its own tokens behind it, and is written
    when it is known how many are kept.
    """

    def __init__(self, forward: Forward, window: int, capacity: int) -> None:
        self._forward = forward
        self._window = window
        self._capacity = capacity
        self._never_wrapped = forward.end <= capacity
        self.is_wide = not self._never_wrapped and window + forward.width - 1 > capacity
        self.num_columns = min(forward.end, capacity)

    @cached_property
    def columns(self) -> Columns:
        """Where the tokens of a forward that is not wide go."""
        forward = self._forward
        start = forward.lengths[0] % self._capacity
        is_straight = forward.is_aligned and start + forward.width <= self._capacity
        return Columns(forward.row_indices, forward.positions % self._capacity, start if is_straight else None)

    @cached_property
    def array_mask(self) -> mx.array:
        """What each token may attend to of what the layer fetches, bool [rows, 1, width, columns]."""
        held = self._held()[:, None, None, :]
        positions = self._forward.positions[:, None, :, None]
        return (held >= 0) & (held <= positions) & (held > positions - self._window)

    def mask(self, return_array: bool) -> mx.array | str | None:
        """As `array_mask`, or mlx-lm's shorter forms where all rows see all that the ring holds."""
        forward = self._forward
        if forward.is_aligned and self._never_wrapped and forward.end <= self._window and not return_array:
            return None if forward.width == 1 else "causal"
        return self.array_mask

    def _held(self) -> mx.array:
        """Position of each fetched column, [rows, columns]."""
        forward = self._forward
        lengths = mx.array(forward.lengths, dtype=mx.int32)
        if not self.is_wide:
            return ring_positions(lengths + forward.width - 1, self._capacity)[:, : self.num_columns]
        return mx.concatenate([ring_positions(lengths - 1, self._capacity), forward.positions], axis=1)
