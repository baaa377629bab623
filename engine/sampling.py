"""The target's choice at every position; noise depends on (seed, position in the reply) and on nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx

_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Choice:
    """How one row chooses: `position` is the index in its reply of the token that follows the pending one."""

    temperature: float
    seed: int
    position: int


def noise_key(seed: int, position: int) -> tuple[int, int]:
    """The two 32-bit words of the random key for one token of a reply.

    Weyl sequence by the golden ratio, then the finaliser of splitmix64 (Steele, Lea, Flood 2014).
    """
    mixed = (seed + (position + 1) * 0x9E3779B97F4A7C15) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    mixed ^= mixed >> 31
    return mixed >> 32, mixed & 0xFFFFFFFF


def choose(logits: mx.array, choices: Sequence[Choice]) -> mx.array:
    """Choose a token at every window position: logits [rows, width, vocabulary] to [rows, width] int32, lazy.

    Position j of a row draws with the noise of `position + j`, so a draw is the same with any drafter, width or batch.
    """
    greedy = mx.argmax(logits, axis=-1).astype(mx.int32)
    if all(choice.temperature == 0 for choice in choices):
        return greedy
    drawn = [
        _draw(logits[row], choice) if choice.temperature > 0 else greedy[row] for row, choice in enumerate(choices)
    ]
    return mx.stack(drawn)


def _draw(logits: mx.array, choice: Choice) -> mx.array:
    """Gumbel-max over [width, vocabulary]; each position has a key of its own."""
    width, vocabulary = logits.shape
    words = [noise_key(choice.seed, choice.position + index) for index in range(width)]
    keys = mx.array(words, dtype=mx.uint32)
    noise = mx.vmap(lambda key: mx.random.gumbel((vocabulary,), key=key))(keys)
    return mx.argmax(logits.astype(mx.float32) / choice.temperature + noise, axis=-1).astype(mx.int32)
