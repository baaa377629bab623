"""A layer that keeps several kinds of state at once: mlx-lm's CacheList."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.kv.layout import Layout


class Nested:
    """Layouts of one layer, which its model asks for by index; membership and rewinds reach each of them directly."""

    def __init__(self, children: Sequence[Layout | Nested]) -> None:
        self._children = children

    def __getitem__(self, index: int) -> Layout | Nested:
        return self._children[index]

    def leaves(self) -> list[Layout]:
        """The layouts in it, at any depth."""
        return leaves_of(self._children)


def leaves_of(layers: Sequence[Layout | Nested]) -> list[Layout]:
    """Every layout among some layers, in order."""
    return [leaf for layer in layers for leaf in (layer.leaves() if isinstance(layer, Nested) else [layer])]
