"""A layer that keeps several kinds of state at once: mlx-lm's CacheList."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import mlx.core as mx

if TYPE_CHECKING:
    from engine.kv.layout import Layout


class Nested:
    """Layouts of one layer, which its model asks for by index; a row's state is a tuple of theirs."""

    def __init__(self, children: Sequence[Layout]) -> None:
        self._children = children

    def __getitem__(self, index: int) -> Layout:
        return self._children[index]

    def begin(self) -> None:
        for child in self._children:
            child.begin()

    def commit(self, kept: Sequence[int]) -> None:
        for child in self._children:
            child.commit(kept)

    def mark(self) -> None:
        for child in self._children:
            child.mark()

    def rewind(self, num_commits: Sequence[int]) -> None:
        for child in self._children:
            child.rewind(num_commits)

    def arrays(self) -> list[mx.array]:
        return [array for child in self._children for array in child.arrays()]

    def stage(self, rows: Mapping[int, Any]) -> list[Any]:
        return [
            child.stage({row: state[index] for row, state in rows.items()})
            for index, child in enumerate(self._children)
        ]

    def adopt(self, staged: list[Any]) -> None:
        for child, buffers in zip(self._children, staged, strict=True):
            child.adopt(buffers)

    def filter(self, keep: Sequence[int]) -> None:
        for child in self._children:
            child.filter(keep)

    def extract(self, row: int) -> tuple[Any, ...]:
        return tuple(child.extract(row) for child in self._children)

    def minimum_reusable_offset(self, length: int) -> int:
        return max(child.minimum_reusable_offset(length) for child in self._children)
