"""The port of every layout: one layer's state of all rows, which an mlx-lm model takes as its cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, CacheList, KVCache, RotatingKVCache

from engine.kv.extent import Extent
from engine.kv.full_attention import FullAttention
from engine.kv.nested import Nested
from engine.kv.quantised import QuantisedAttention
from engine.kv.recurrent import Recurrent
from engine.kv.state import LayerState
from engine.kv.window import Window
from engine.messages import UNQUANTISED, KvScheme


class Layout(Protocol):
    """State of one layer; row i is batch index i, and rows past the extent's are unclaimed."""

    num_grown: int  # arrays of either kind in a row's LayerState
    num_fixed: int

    def begin(self) -> None: ...  # the extent's next forward is set; remember what a rewind will need
    def commit(self, kept: Sequence[int]) -> None: ...  # keep kept[i] of the forward's tokens, before the extent does
    def mark(self) -> None: ...  # remember what a rewind over several commits will need
    def rewind(self, num_commits: Sequence[int]) -> None: ...  # row i as it was num_commits[i] commits after the mark
    def arrays(self) -> list[mx.array]: ...  # all that a forward or a commit may have left lazy
    def stage(self, rows: Mapping[int, LayerState]) -> Any: ...  # buffers that hold these unclaimed rows too, lazy
    def adopt(self, staged: Any) -> None: ...  # swaps only
    def filter(self, keep: Sequence[int]) -> None: ...  # rows in the given order
    def extract(self, row: int, start: int = 0) -> LayerState: ...  # compact copies, lazy; grown ones from `start` on


def _open_full(cache: KVCache, extent: Extent, scheme: KvScheme) -> Layout:
    return QuantisedAttention(extent, scheme) if scheme.bits else FullAttention(extent)


def _open_window(cache: RotatingKVCache, extent: Extent, scheme: KvScheme) -> Layout:
    """Never quantised: mlx-lm cannot either, and it does not grow."""
    assert cache.keep == 0, f"a window that keeps its first {cache.keep} tokens has no layout"
    return Window(extent, cache.max_size)


def _open_recurrent(cache: ArraysCache, extent: Extent, scheme: KvScheme) -> Layout:
    """Never quantised: it does not grow, and every forward would add its error to the state."""
    return Recurrent(len(cache.cache), extent)


def _open_nested(cache: CacheList, extent: Extent, scheme: KvScheme) -> Nested:
    return Nested(open_layouts(cache.caches, extent, scheme))


LAYOUTS: dict[type, Callable[[Any, Extent, KvScheme], Layout | Nested]] = {
    KVCache: _open_full,
    RotatingKVCache: _open_window,
    ArraysCache: _open_recurrent,
    CacheList: _open_nested,
}


def open_layouts(caches: Sequence[Any], extent: Extent, scheme: KvScheme = UNQUANTISED) -> list[Layout | Nested]:
    """The layouts that stand in for a model's own caches; raises KeyError with a cache's class that has none."""
    return [LAYOUTS[type(cache)](cache, extent, scheme) for cache in caches]
