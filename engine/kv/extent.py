"""How many tokens each row holds, and what follows from it for one forward: offsets, mask, write positions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import mlx.core as mx

from engine.kv.buffers import Columns

T = TypeVar("T")


class Forward:
    """Geometry of one forward that appends `width` tokens after each row's length; all layers share its arrays."""

    def __init__(self, lengths: Sequence[int], width: int, keeps_all: bool = False) -> None:
        self.lengths = tuple(lengths)
        self.width = width
        self.keeps_all = keeps_all  # nothing of it will be rewound, so layouts need not remember how
        self.end = max(self.lengths, default=0) + width
        self.is_aligned = len(set(self.lengths)) <= 1

    @cached_property
    def offset(self) -> int | mx.array:
        """The rows' first position: one number where they agree, else [rows] int32."""
        return self.lengths[0] if self.is_aligned else mx.array(self.lengths, dtype=mx.int32)

    @cached_property
    def positions(self) -> mx.array:
        """Absolute position of every token of the forward, [rows, width] int32."""
        return mx.array(self.lengths, dtype=mx.int32)[:, None] + mx.arange(self.width, dtype=mx.int32)

    @cached_property
    def row_indices(self) -> mx.array:
        """[rows, 1] int32."""
        return mx.arange(len(self.lengths), dtype=mx.int32)[:, None]

    @cached_property
    def columns(self) -> Columns:
        """Where the tokens go in buffers whose columns are positions."""
        return Columns(self.row_indices, self.positions, self.lengths[0] if self.is_aligned else None)

    def mask(self, window_size: int | None, return_array: bool) -> mx.array | str | None:
        """What each token may attend to: None for all, "causal", or bool [rows, 1, width, end]."""
        fits = window_size is None or self.end <= window_size
        if self.is_aligned and fits and not return_array:
            return None if self.width == 1 else "causal"
        return self.array_mask(None if fits else window_size)

    def array_mask(self, window_size: int | None) -> mx.array:
        """Bool [rows, 1, width, end]."""
        columns = mx.arange(self.end, dtype=mx.int32)
        positions = self.positions[:, None, :, None]
        mask = columns <= positions
        return mask if window_size is None else mask & (columns > positions - window_size)


class Extent:
    """The rows' lengths in tokens; all layers of one `Rows` read the same one, so a rewind changes these alone."""

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.forward = Forward((), 0)
        self._shared: dict[Hashable, Any] = {}

    @property
    def num_rows(self) -> int:
        return len(self.lengths)

    def longest(self, rows: Sequence[int]) -> int:
        """Length of the longest of some rows; 0 where there is none."""
        return max([self.lengths[row] for row in rows], default=0)

    def held_positions(self) -> mx.array:
        """Which token each column holds where columns are positions, [rows, longest] int32; -1 past a row's length."""
        columns = mx.arange(max(self.lengths, default=0), dtype=mx.int32)
        return mx.where(columns < mx.array(self.lengths, dtype=mx.int32)[:, None], columns, -1)

    def begin(self, width: int, keeps_all: bool = False) -> None:
        """Say how many tokens a row the next forward appends."""
        self.forward = Forward(self.lengths, width, keeps_all)
        self._shared = {}

    def shared(self, kind: Callable[..., T], *options: Hashable) -> T:
        """What layers of one kind work out of the forward, made once for all of them; goes with the forward.

        Kept here, since a forward that led back to itself would hold its arrays until a garbage collection.
        """
        key = (kind, options)
        if key not in self._shared:
            self._shared[key] = kind(self.forward, *options)
        made: T = self._shared[key]
        return made

    def commit(self, kept: Sequence[int]) -> None:
        """Keep the first `kept[i]` tokens that the forward appended to row i; the next one overwrites the rest."""
        assert all(0 <= count <= self.forward.width for count in kept), kept
        self.lengths = [length + count for length, count in zip(self.lengths, kept, strict=True)]
        self.begin(0)  # lets the forward's arrays go
