"""Outputs of a model's layers, caught in one forward; mlx-lm's models stay as they are, parameters and names too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.structure import Structure


class Caught:
    """What one forward leaves on its way; hooked modules have this and nothing that leads back to their model, which
    would otherwise be freed by a garbage collection only."""

    def __init__(self) -> None:
        self.wanted: frozenset[int] = frozenset()
        self.arrays: dict[int, mx.array] = {}

    def begin(self, wanted: Sequence[int]) -> None:
        self.wanted, self.arrays = frozenset(wanted), {}

    def take(self, index: int, value: Any) -> None:
        """Called by a hooked module; some layers return what they leave to others beside their output."""
        if index in self.wanted:
            self.arrays[index] = value[0] if isinstance(value, tuple) else value


class Taps:
    """Hooks on one model: its layers' classes get one that shows each output to whoever asked in this call."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self._caught: Caught | None = None  # hooked at the first forward that is tapped

    def run(self, token_ids: mx.array, cache: Sequence[Any], layers: tuple[int, ...]) -> tuple[mx.array, mx.array]:
        """One forward of [rows, width] ids: logits, and [rows, width, layers · hidden] of the tapped layers; lazy.

        Layers stand side by side in the order asked for: i is the output of layer i, before any later norm, -1 the
        embeddings as the first layer takes them, the number of layers the hidden state after the final norm.
        """
        caught = self._caught = self._caught or self._hook()
        caught.begin(layers)
        try:
            logits = self._structure.model(token_ids, cache=cache)
            missing = [layer for layer in layers if layer not in caught.arrays]
            assert not missing, f"the forward did not come by layers {missing}"
            return logits, mx.concatenate([caught.arrays[layer] for layer in layers], axis=-1)
        finally:
            caught.begin(())

    def _hook(self) -> Caught:
        caught = Caught()
        for index, module in enumerate([*self._structure.layers, self._structure.inner]):
            module.tap, module.tap_index = caught, index
            module.__class__ = _tapped(type(module))
        return caught


def _tapped(base: type[nn.Module]) -> type[nn.Module]:
    def call(module: nn.Module, *arguments: Any, **named: Any) -> Any:
        if module.tap_index == 0:
            module.tap.take(-1, arguments[0])
        output = base.__call__(module, *arguments, **named)
        module.tap.take(module.tap_index, output)
        return output

    return type(base.__name__, (base,), {"__call__": call})
