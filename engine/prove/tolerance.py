"""When two tokens are a near tie: what rounding can do to a score, and where it stops being rounding."""

from __future__ import annotations

import os

import mlx.core as mx

FACTOR = (
    4.0  # both tokens' scores may move, and apart; the replay is not the run itself: its rows are all the same text
)
LIMIT_STEPS = (
    64.0  # a 30-layer model in bfloat16 is some 15 steps of its spread off, by a random walk over 200 roundings
)
LONG_SUM = 64.0  # sums of thousands of products are rounded in float32 too, where 16-bit types are summed in more
TF32_STEP = 2.0**-10


def tolerance(movement: float, largest: float, spread: float, step: float, sum_step: float) -> float:
    """The greatest gap between two scores that rounding can turn round.

    FACTOR times the measured movement, but no more than LIMIT_STEPS of `spread`: a model whose windows are simply wrong
    moves them further. Never less than one step of the largest score, below which the type cannot tell two apart.

    step, sum_step: relative steps of the logits' type and of the sums that they come from.
    """
    return max(step * largest, min(FACTOR * movement, LIMIT_STEPS * sum_step * spread))


def steps_of(dtype: mx.Dtype, device: mx.Device) -> tuple[float, float]:
    """The relative steps of a float type and of sums in it; on a GPU, MLX multiplies float32 as TF32 where it may."""
    step = float(mx.finfo(dtype).eps)
    if dtype != mx.float32:
        return step, step
    is_tf32 = device != mx.Device(mx.cpu) and os.environ.get("MLX_ENABLE_TF32", "1") != "0"
    return step, TF32_STEP if is_tf32 else LONG_SUM * step
