"""Noise of one token of a reply: it depends on the seed and the position in the reply, and on nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

_MASK = (1 << 64) - 1


def noise_key(seed: int, position: int) -> tuple[int, int]:
    """The two 32-bit words of the random key for one token of a reply.

    Weyl sequence by the golden ratio, then the finaliser of splitmix64 (Steele, Lea, Flood 2014).
    """
    mixed = (seed + (position + 1) * 0x9E3779B97F4A7C15) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    mixed ^= mixed >> 31
    return mixed >> 32, mixed & 0xFFFFFFFF


def noise(places: Sequence[tuple[int, int]], vocabulary: int) -> mx.array:
    """Gumbel noise [places, vocabulary] for each (seed, position); a place's noise is the same in any company.

    `mx.random.categorical` gives other draws for other shapes under one key, hence a key for each place.
    """
    keys = mx.array([noise_key(seed, position) for seed, position in places], dtype=mx.uint32)
    return mx.vmap(lambda key: mx.random.gumbel((vocabulary,), key=key))(keys)
