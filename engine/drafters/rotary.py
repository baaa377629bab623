"""Rotary positions as mlx-lm computes them, from what a drafter's config says."""

from __future__ import annotations

from typing import Any

from mlx_lm.models.rope_utils import initialize_rope

from engine.models.drafting.rotary import Rotary


def open_rotary(rotary: Rotary) -> Any:
    """A module that turns [rows, heads, width, head size] from the offset that it is given with them."""
    scaling = dict(rotary.scaling) or None
    return initialize_rope(rotary.num_dims, rotary.base, False, scaling, rotary.context_length)
