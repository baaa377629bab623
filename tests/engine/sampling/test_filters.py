"""Filters keep the tokens that mlx-lm's keep."""

from __future__ import annotations

import mlx.core as mx
import pytest
from mlx_lm.sample_utils import apply_min_p, apply_top_k, apply_top_p

from engine.messages import Sampling
from engine.sampling.filters import keep_likely


@pytest.fixture
def logprobs() -> mx.array:
    logits = mx.random.normal((5, 300), key=mx.random.key(8)) * 3
    return logits - mx.logsumexp(logits, axis=-1, keepdims=True)


def support(logits: mx.array) -> list[list[bool]]:
    return (logits > -mx.inf).tolist()


@pytest.mark.parametrize("top_p", [0.05, 0.5, 0.9, 0.999])
def test_top_p_keeps_what_mlx_lm_keeps(logprobs, top_p):
    assert support(keep_likely(logprobs + 3, Sampling(top_p=top_p))) == support(apply_top_p(logprobs, top_p))


@pytest.mark.parametrize("top_k", [1, 3, 40, 299])
def test_top_k_keeps_what_mlx_lm_keeps(logprobs, top_k):
    assert support(keep_likely(logprobs + 3, Sampling(top_k=top_k))) == support(apply_top_k(logprobs, top_k))


@pytest.mark.parametrize("min_p", [0.001, 0.1, 1.0])
def test_min_p_keeps_what_mlx_lm_keeps(logprobs, min_p):
    assert support(keep_likely(logprobs + 3, Sampling(min_p=min_p))) == support(apply_min_p(logprobs, min_p))


@pytest.mark.parametrize(("top_p", "min_p", "top_k"), [(0.9, 0.02, 40), (0.5, 0.001, 200), (0.99, 0.3, 5)])
def test_filters_together_keep_what_mlx_lm_s_chain_keeps(logprobs, top_p, min_p, top_k):
    chain = apply_top_k(apply_min_p(apply_top_p(logprobs, top_p), min_p), top_k)
    assert support(keep_likely(logprobs, Sampling(top_p=top_p, min_p=min_p, top_k=top_k))) == support(chain)


def test_top_k_beyond_the_vocabulary_keeps_all(logprobs):
    assert mx.all(keep_likely(logprobs, Sampling(top_k=300)) == logprobs).item()
    assert mx.all(keep_likely(logprobs, Sampling(top_k=10**9)) == logprobs).item()


def test_equal_logits_at_the_edge_of_top_k_all_stay():
    logits = mx.array([[1.0, 2.0, 1.0, 3.0, 1.0]])
    assert support(keep_likely(logits, Sampling(top_k=3))) == [[True] * 5]
