"""Sampling: the right distribution, and noise that depends on nothing but seed and position."""

from __future__ import annotations

import mlx.core as mx

from engine.sampling import Choice, choose, noise_key

VOCABULARY = 8


def test_greedy_rows_take_the_greatest_logit():
    logits = mx.random.normal((3, 4, VOCABULARY), key=mx.random.key(1))
    chosen = choose(logits, [Choice(0.0, 5, 0)] * 3)
    assert chosen.tolist() == mx.argmax(logits, axis=-1).tolist()


def test_draw_is_the_same_at_any_window_position_and_in_any_batch():
    logits = mx.random.normal((1, 6, 500), key=mx.random.key(2))
    window = choose(logits, [Choice(1.0, 9, 10)])[0].tolist()
    singly = [choose(logits[:, index : index + 1], [Choice(1.0, 9, 10 + index)]).item() for index in range(6)]
    neighbours = mx.concatenate([logits + 1, logits, logits * 2])
    batched = choose(neighbours, [Choice(0.5, 3, 0), Choice(1.0, 9, 10), Choice(0.0, 0, 0)])[1].tolist()
    assert window == singly == batched


def test_seeds_and_positions_have_keys_of_their_own():
    keys = {noise_key(seed, position) for seed in (0, 1, 2**62, 2**63 - 1) for position in range(500)}
    assert len(keys) == 4 * 500


def test_draws_follow_the_softmax_at_the_temperature():
    logits = mx.random.normal((1, 1, VOCABULARY), key=mx.random.key(3)) * 2
    width = 20_000
    chosen = choose(mx.broadcast_to(logits, (1, width, VOCABULARY)), [Choice(0.7, 42, 0)])[0]
    counts = mx.array([mx.sum(chosen == token_id).item() for token_id in range(VOCABULARY)])
    expected = mx.softmax(logits[0, 0] / 0.7) * width
    chi_square = mx.sum((counts - expected) ** 2 / expected).item()
    assert chi_square < 24.3  # p = 0.001 with 7 degrees of freedom
