"""Heads turn at the speeds that a drafter's config gives, from each row's own position."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.drafters.rotary import Rotation
from engine.models.drafting.rotary import Rotary

SPEEDS = (1.0, 0.25, 0.0)
OFFSETS = [3, 40]


def turned(heads: mx.array, is_interleaved: bool, magnitude: float) -> mx.array:
    """By complex numbers, of which a pair is one: [rows, 1, width, 8], whose last two numbers do not turn."""
    first, second = (heads[..., :6:2], heads[..., 1:6:2]) if is_interleaved else (heads[..., :3], heads[..., 3:6])
    positions = mx.array(OFFSETS)[:, None, None, None] + mx.arange(heads.shape[2])[:, None]
    pairs = (first + 1j * second) * mx.exp(1j * (positions * mx.array(SPEEDS))) * magnitude
    parts = mx.real(pairs), mx.imag(pairs)
    ordered = mx.stack(parts, axis=-1).flatten(-2) if is_interleaved else mx.concatenate(parts, axis=-1)
    return mx.concatenate([ordered, heads[..., 6:]], axis=-1)


@pytest.mark.parametrize("is_interleaved", [False, True])
@pytest.mark.parametrize("magnitude", [1.0, 1.25])
def test_pairs_turn_and_the_rest_of_a_head_stays(is_interleaved, magnitude):
    heads = mx.random.normal((2, 1, 5, 8), key=mx.random.key(1))
    rotation = Rotation(Rotary(6, SPEEDS, magnitude, is_interleaved))
    expected = turned(heads, is_interleaved, magnitude)
    assert mx.allclose(rotation(heads, mx.array(OFFSETS)), expected, atol=1e-5)
    assert mx.allclose(rotation(heads[:1], OFFSETS[0]), expected[:1], atol=1e-5)


def test_rotation_has_no_parameters_and_keeps_the_type():
    rotation = Rotation(Rotary(6, SPEEDS, 1.25))
    assert rotation.parameters() == {}
    assert rotation(mx.ones((1, 1, 2, 8), dtype=mx.bfloat16)).dtype == mx.bfloat16
