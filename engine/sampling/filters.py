"""Top-p, min-p and top-k as one cut: tokens below it cannot be drawn.

Each of the three keeps the tokens from some log probability upwards, so their order does not matter and the highest
cut decides. mlx-lm's apply_top_p, apply_min_p and apply_top_k keep the same tokens. They are not called because
apply_top_p sorts the whole vocabulary where top-k leaves a few tokens of it, and because apply_top_k picks among equal
logits at the edge in an order that no window shape has to keep; here all of those stay.
"""

from __future__ import annotations

import math

import mlx.core as mx

from engine.messages import Sampling


def keep_likely(logits: mx.array, rules: Sampling) -> mx.array:
    """Put minus infinity where a token is filtered out: [..., vocabulary] to float32 of that shape."""
    logits = logits.astype(mx.float32)
    has_top_k = 0 < rules.top_k < logits.shape[-1]
    cuts: list[mx.array] = []
    if rules.min_p > 0:
        cuts.append(mx.max(logits, axis=-1, keepdims=True) + math.log(rules.min_p))
    if has_top_k or rules.top_p < 1:
        largest = mx.sort(mx.topk(logits, rules.top_k) if has_top_k else logits, axis=-1)
        if has_top_k:
            cuts.append(largest[..., :1])
        if rules.top_p < 1:
            cuts.append(_top_p_cut(largest, mx.logsumexp(logits, axis=-1, keepdims=True), rules.top_p))
    for cut in cuts:
        logits = mx.where(logits < cut, -mx.inf, logits)
    return logits


def _top_p_cut(largest: mx.array, log_total: mx.array, top_p: float) -> mx.array:
    """The lowest of the largest logits, in ascending order, that has less than `top_p` of all probability above it."""
    probabilities = mx.exp(largest - log_total)
    mass_above = mx.cumsum(probabilities, axis=-1, reverse=True, inclusive=False)
    num_dropped = mx.sum(mass_above >= top_p, axis=-1, keepdims=True)
    return mx.take_along_axis(largest, mx.minimum(num_dropped, largest.shape[-1] - 1), axis=-1)
