"""What a recurrent layer computes its state from, remembered for one forward so that a part of it can be repeated.

mlx-lm's models call a mixer (gated delta, SSM, short convolution, ...) with that layer's cache. Its instances get a
class that records the call where the cache asks for it; parameters and their names stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import MethodType
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import ArraysCache

# Names that mlx-lm's layers give to the modules that they hand a recurrent cache.
MIXERS = ("linear_attn", "mixer", "mamba", "conv", "attn", "ffn")

# Layers whose output at a position depends on their input there alone; others (convolutions) are computed again.
_PROJECTIONS = (nn.Linear, nn.QuantizedLinear)


class RecordingCache(ArraysCache):
    """A cache that mixers of a prepared model report their calls to; a subclass since some write into no other."""

    @property
    def is_recording(self) -> bool:
        """Whether the forward under way may be rewound to a part of it."""
        raise NotImplementedError

    def record(self, call: MixerCall) -> None:
        """Keep a call until the forward is committed."""
        raise NotImplementedError


class MixerCall:
    """One mixer's call in one forward: its arguments, and what its projections gave for every position."""

    def __init__(self, mixer: nn.Module, forward: Callable[..., Any], arguments: Sequence[Any], named: Any) -> None:
        self._mixer = mixer
        self._forward = forward
        self._arguments = arguments
        self._named = named
        self._projected: dict[str, list[mx.array]] = {}

    def run(self) -> Any:
        """The mixer's output, as if it had been called without a recording."""
        stand_in = _StandIn(self._mixer, self._project)
        return self._forward(stand_in, *self._arguments, **self._named)

    def replay(self, rows: Sequence[int], count: int, cache: ArraysCache) -> None:
        """Advance `cache`, which holds `rows`, by the first `count` positions; lazy, and multiplies by no projection.

        The output is dropped unevaluated, so that only what the state needs is computed.
        """
        index = mx.array(list(rows), dtype=mx.int32)

        def cut(value: Any) -> Any:
            if isinstance(value, ArraysCache):
                return cache
            return mx.take(value, index, axis=0)[:, :count] if isinstance(value, mx.array) else value

        kept = {name: iter([cut(array) for array in arrays]) for name, arrays in self._projected.items()}

        def recall(name: str, projection: nn.Module, inputs: mx.array) -> mx.array:
            return next(kept[name]) if name in kept else projection(inputs)

        arguments = [cut(value) for value in self._arguments]
        self._forward(_StandIn(self._mixer, recall), *arguments, **{key: cut(v) for key, v in self._named.items()})

    def _project(self, name: str, projection: nn.Module, inputs: mx.array) -> mx.array:
        outputs = projection(inputs)
        if inputs.ndim == 3:  # [rows, width, features]; what is fed position by position is computed again
            self._projected.setdefault(name, []).append(outputs)
        return outputs


class _StandIn:
    """A mixer whose projections go through `project`."""

    def __init__(self, mixer: nn.Module, project: Callable[..., mx.array]) -> None:
        self._mixer = mixer
        self._project = project

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._mixer, name)
        if isinstance(value, MethodType):
            return MethodType(value.__func__, self)
        return partial(self._project, name, value) if isinstance(value, _PROJECTIONS) else value


def prepare_mixers(model: nn.Module) -> None:
    """Let a model's mixers report their calls to caches that record; does nothing the second time."""
    for layer in model.layers:
        for name in MIXERS:
            mixer = getattr(layer, name, None)
            if isinstance(mixer, nn.Module) and not hasattr(type(mixer), "unrecorded"):
                mixer.__class__ = _recording(type(mixer))


def _recording(base: type[nn.Module]) -> type[nn.Module]:
    """A mixer's class that shows its calls to the cache among its arguments, where that is a recording one."""

    def call(mixer: nn.Module, *arguments: Any, **named: Any) -> Any:
        for value in (*arguments, *named.values()):
            if isinstance(value, RecordingCache) and value.is_recording:
                record = MixerCall(mixer, base.__call__, arguments, named)
                value.record(record)
                return record.run()
        return base.__call__(mixer, *arguments, **named)

    return type(base.__name__, (base,), {"__call__": call, "unrecorded": base})
