"""Rotary positions of a drafter's heads."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

from engine.models.drafting.rotary import Rotary


class Rotation(nn.Module):
    """Turns heads [rows, heads, width, head size] by their positions, which begin at `offset` or that of each row."""

    def __init__(self, rotary: Rotary) -> None:
        super().__init__()
        self._rotary = rotary
        self._periods = 1 / mx.array(rotary.speeds)  # tokens to a radian; infinite where a pair stands

    def __call__(self, heads: mx.array, offset: int | mx.array = 0) -> mx.array:
        num_dims = self._rotary.num_dims
        if self._rotary.magnitude != 1.0:
            heads = heads.at[..., :num_dims].multiply(self._rotary.magnitude)
        return mx.fast.rope(
            heads,
            num_dims,
            traditional=self._rotary.is_interleaved,
            base=None,
            scale=1.0,
            offset=offset,
            freqs=self._periods,
        )
