"""State of one recurrent layer: gated delta, SSM, short convolution.

It has no positions that could be cut off, so a rewind goes back to the state before the forward (arrays are never
written in place: remembering them is free) and repeats the recurrence over the kept positions of the rows that lost
some. What the layer computed from its weights is remembered too, so that a rewind reads none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache

from engine.kv.extent import Extent
from engine.kv.mixers import MIXERS, MixerCall, RecordingCache
from engine.kv.state import LayerState


class Recurrent(RecordingCache):
    """One layer's arrays, each [rows, ...], or None before anything was read.

    They may end before the extent's last rows: those are empty, which in every recurrent layer means zeros.
    """

    num_grown = 0

    def __init__(self, num_arrays: int, extent: Extent) -> None:
        super().__init__(num_arrays)
        self.num_fixed = num_arrays
        self._extent = extent
        self._before: list[mx.array | None] = []
        self._calls: list[MixerCall] = []
        self._history: list[list[mx.array | None]] = []  # at the mark and after every commit since

    def __setitem__(self, index: int, array: mx.array) -> None:
        """Take over what a mixer computed; compact, since many hand over a view of the whole forward."""
        self.cache[index] = mx.contiguous(array)

    @property
    def is_recording(self) -> bool:
        return bool(self._before) and self._extent.forward.width > 1

    def record(self, call: MixerCall) -> None:
        self._calls.append(call)

    def begin(self) -> None:
        self.cache = self._padded()
        self._before = [] if self._extent.forward.keeps_all else list(self.cache)
        self._calls = []

    def commit(self, kept: Sequence[int]) -> None:
        width = self._extent.forward.width
        for count in sorted(set(kept) - {width}):
            rows = [row for row, row_kept in enumerate(kept) if row_kept == count]
            replaced = zip(self.cache, self._replay(rows, count), strict=True)
            self.cache = [_replaced(array, rows, part) for array, part in replaced]
        self._before, self._calls = [], []
        if self._history:
            self._history.append(self.cache)

    def mark(self) -> None:
        self._history = [self._padded()]

    def rewind(self, num_commits: Sequence[int]) -> None:
        """Take each row from the state after its own commit; nothing is computed again."""
        history, self._history = self._history, []
        self.cache = list(history[max(num_commits, default=0)])
        for count in set(num_commits) - {max(num_commits, default=0)}:
            rows = [row for row, row_count in enumerate(num_commits) if row_count == count]
            parts = [_taken(array, rows) for array in history[count]]
            self.cache = [_replaced(array, rows, part) for array, part in zip(self.cache, parts, strict=True)]

    def arrays(self) -> list[mx.array]:
        return [array for array in self.cache if array is not None]

    def stage(self, rows: Mapping[int, LayerState]) -> list[mx.array | None]:
        num_rows = max(rows) + 1
        return [
            _joined(array, {row: state.fixed[index] for row, state in rows.items()}, num_rows)
            for index, array in enumerate(self.cache)
        ]

    def adopt(self, staged: list[mx.array | None]) -> None:
        self.cache = staged

    def filter(self, keep: Sequence[int]) -> None:
        self.cache = [_taken(array, keep) if keep else None for array in self._padded()]

    def extract(self, row: int, start: int = 0) -> LayerState:
        own = (None if array is None else mx.contiguous(array[row : row + 1]) for array in self._padded())
        return LayerState(fixed=tuple(own))

    def _padded(self) -> list[mx.array | None]:
        """The arrays with a row for each of the extent's."""
        num_rows = self._extent.num_rows
        return [None if array is None else _joined(array, {}, num_rows) for array in self.cache]

    def _replay(self, rows: Sequence[int], count: int) -> list[mx.array | None]:
        """The state of some rows `count` positions after the forward's start; lazy."""
        assert self._before, "a forward that was to keep all is rewound"
        scratch = ArraysCache(len(self.cache))
        scratch.cache = [_taken(array, rows) for array in self._before]
        assert self._calls or not count, f"none of {MIXERS} recorded the forward"
        for call in self._calls if count else ():
            call.replay(rows, count, scratch)
        return list(scratch.cache)


def _taken(array: mx.array | None, rows: Sequence[int]) -> mx.array | None:
    if array is None or list(rows) == list(range(array.shape[0])):
        return array
    return mx.take(array, mx.array(list(rows), dtype=mx.int32), axis=0)


def _replaced(array: mx.array | None, rows: Sequence[int], part: mx.array | None) -> mx.array | None:
    """`array` with other values in `rows`; a part of None is empty rows'."""
    if array is None or len(rows) == array.shape[0]:
        return part
    changed = mx.array(array)
    changed[mx.array(list(rows), dtype=mx.int32)] = 0 if part is None else part
    return changed


def _joined(array: mx.array | None, parts: Mapping[int, mx.array | None], num_rows: int) -> mx.array | None:
    """`array` with rows behind its own up to `num_rows`; those that are not among `parts` are empty."""
    present = [] if array is None else [array]
    first = 0 if array is None else array.shape[0]
    like = next((known for known in (*present, *parts.values()) if known is not None), None)
    if like is None or first >= num_rows:
        return array
    empty = mx.zeros((1, *like.shape[1:]), dtype=like.dtype)
    behind = [part if (part := parts.get(row)) is not None else empty for row in range(first, num_rows)]
    return mx.concatenate([*present, *behind])
