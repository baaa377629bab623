"""Every proven model type gives rows of a batch, each at its own offset, the logits that they have alone."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx_lm.models.cache import ArraysCache, CacheList, KVCache, QuantizedKVCache, RotatingKVCache, make_prompt_cache

from engine.kv.rows import open_rows
from engine.messages import KvScheme
from engine.models.architecture import text_config
from engine.models.proven import PROVEN, UNQUANTISED_ONLY, batch_refusal, why_unquantised
from tests.engine.families import RECURRENT
from tests.engine.kv.driving import Driven
from tests.engine.tiny import tiny_config, tiny_model

_PROMPTS = [[(start + 7 * index) % 64 for index in range(length)] for start, length in enumerate((3, 17, 40))]
_NEXT = ([1, 2, 3], [9, 8, 7], [4, 4, 60])
_KEPT = (1, 3, 2)
_AFTER = [[30, 31]] * 3
_WINDOWED = {"sliding_window": 16, "layer_types": ["sliding_attention", "full_attention"]}
_LLAMAS = ("iquestcoder", "llama", "mistral", "xverse")
# Changes of a tiny config after which every head holds a whole group of 32 quantised numbers.
_WIDE_HEADS = {
    "head_dim": 32,
    "global_head_dim": 32,
    "hidden_size": 128,
    "block_dim": 128,
    "kv_lora_rank": 32,
    "qk_rope_head_dim": 32,
}
_CASES = [pytest.param(model_type, {}, id=model_type) for model_type in sorted(PROVEN)]
_CASES += [pytest.param(name, _WINDOWED, id=f"{name} with windows") for name in _LLAMAS]


def alone(model: nn.Module, token_ids: list[int], width: int) -> mx.array:
    """Logits of the last `width` tokens, without any cache."""
    return model(mx.array([token_ids]))[0, -width:]


def assert_close(actual: mx.array, expected: list[mx.array], tolerance: float = 1e-4) -> None:
    for row, other in zip(actual, expected, strict=True):
        assert mx.abs(row - other).max().item() < tolerance * mx.abs(other).max().item()


@pytest.mark.parametrize(("model_type", "changes"), _CASES)
def test_rows_of_a_batch_give_the_logits_that_they_give_alone(model_type, changes):
    model = tiny_model(model_type, **changes)
    driven = Driven(model)
    rows = driven.batch(_PROMPTS)
    together = driven.forward(rows, _NEXT)
    assert_close(together, [alone(model, prompt + ids, 3) for prompt, ids in zip(_PROMPTS, _NEXT, strict=True)])
    rows.commit(_KEPT)
    texts = [prompt + ids[:kept] for prompt, ids, kept in zip(_PROMPTS, _NEXT, _KEPT, strict=True)]
    assert_close(
        driven.forward(rows, _AFTER), [alone(model, text + ids, 2) for text, ids in zip(texts, _AFTER, strict=True)]
    )


def test_attention_of_the_tiny_glm_moe_dsa_leaves_tokens_out():
    picking, whole = (tiny_model("glm_moe_dsa", index_topk=count) for count in (12, 512))
    assert mx.array_equal(alone(picking, _PROMPTS[1][:12], 2), alone(whole, _PROMPTS[1][:12], 2))
    assert not mx.allclose(alone(picking, _PROMPTS[1], 2), alone(whole, _PROMPTS[1], 2), atol=0.1)


def quantised_cache(cache: Any) -> Any:
    """A cache of mlx-lm's, quantised where it can be."""
    if isinstance(cache, CacheList):
        return CacheList(*map(quantised_cache, cache.caches))
    return QuantizedKVCache(32, 8) if type(cache) is KVCache else cache


def quantised_alone(model: nn.Module, token_ids: list[int]) -> mx.array:
    """Logits of the last three tokens with mlx-lm's own quantised caches."""
    caches = [quantised_cache(cache) for cache in make_prompt_cache(model)]
    logits = model(mx.array([token_ids]), cache=caches)[0, -3:]
    mx.eval(logits)
    return logits


@pytest.mark.parametrize("model_type", sorted(PROVEN.keys() - UNQUANTISED_ONLY.keys()))
def test_quantised_rows_give_the_logits_that_mlx_lm_gives_alone(model_type):
    model = tiny_model(model_type, **_WIDE_HEADS)
    driven = Driven(model, KvScheme(8, 32))
    together = driven.forward(driven.batch(_PROMPTS), _NEXT)
    expected = [quantised_alone(model, prompt + ids) for prompt, ids in zip(_PROMPTS, _NEXT, strict=True)]
    assert_close(together, expected, tolerance=1e-3)  # with another BLAS a number may round to its neighbouring level


@pytest.mark.parametrize("model_type", sorted(UNQUANTISED_ONLY))
def test_mlx_lm_cannot_run_what_is_not_quantised_here(model_type):
    with pytest.raises((AttributeError, TypeError, ValueError)):
        quantised_alone(tiny_model(model_type, **_WIDE_HEADS), _PROMPTS[0])


@pytest.mark.parametrize(
    ("model_type", "group_size", "reason"),
    [
        ("gpt_oss", 64, "sinks"),
        ("gemma3n", 64, "not proven with rows"),
        ("llama", 64, "its heads hold 8 numbers, which are no whole groups of 64"),
    ],
)
def test_refused_quantisation_says_why_in_a_sentence(model_type, group_size, reason):
    refusal = why_unquantised(tiny_config(model_type), group_size)
    assert reason in refusal
    assert refusal.endswith(".")


def test_quantisation_in_groups_that_fit_is_not_refused():
    assert why_unquantised(tiny_config("llama", head_dim=64), 32) == ""


def cache_types(model_type: str) -> set[type]:
    """Classes of the caches that this type's tiny models have."""
    configs: list[dict[str, Any]] = [
        changes for case in _CASES for name, changes in [case.values] if name == model_type
    ]
    caches = [cache for changes in configs for cache in make_prompt_cache(tiny_model(model_type, **changes))]
    return {type(part) for cache in caches for part in getattr(cache, "caches", [cache])}


@pytest.mark.parametrize("model_type", sorted(PROVEN.keys() - RECURRENT))
def test_kinds_of_layers_are_those_that_the_tests_have(model_type):
    kinds = {KVCache: "full_attention", RotatingKVCache: "sliding_attention"}
    assert {kinds[cache_type] for cache_type in cache_types(model_type)} == PROVEN[model_type]


@pytest.mark.parametrize("model_type", sorted(RECURRENT))
def test_recurrent_types_have_no_windows(model_type):
    assert ArraysCache in cache_types(model_type) <= {ArraysCache, KVCache}


@pytest.mark.parametrize("model_type", sorted(PROVEN))
def test_every_proven_model_has_a_layout_for_each_cache_and_is_not_refused(model_type):
    model = tiny_model(model_type)
    assert len(open_rows(model, max_rows=8).layers) == len(make_prompt_cache(model))
    assert batch_refusal(text_config(tiny_config(model_type)) | {"model_type": model_type}) == ""


def test_no_layout_is_opened_for_a_cache_that_has_none():
    with pytest.raises(KeyError, match="ChunkedKVCache"):
        open_rows(tiny_model("llama4"), max_rows=8)


@pytest.mark.parametrize("model_type", sorted(PROVEN))
def test_greedy_text_of_a_tiny_model_varies(model_type):
    model = tiny_model(model_type)
    cache = make_prompt_cache(model)
    ids = [3, 1, 4]
    logits = model(mx.array([ids]), cache=cache)
    for _ in range(24):
        ids.append(mx.argmax(logits[0, -1]).item())
        logits = model(mx.array([ids[-1:]]), cache=cache)
    assert len(set(ids[3:])) >= 5


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"model_type": "gemma3n"}, "not proven"),
        ({"layer_types": ["full_attention", "chunked_attention"]}, "'chunked_attention'"),
        ({"layer_types": [["odd"]]}, "odd"),
        ({"model_type": "qwen3", "layer_types": ["full_attention", "sliding_attention"]}, "'sliding_attention'"),
        ({"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}, "dynamic rope"),
        ({"rope_parameters": {"full_attention": {"rope_type": "dynamic", "factor": 2.0}}}, "dynamic rope"),
    ],
)
def test_refused_models_say_why_in_a_sentence(changes, reason):
    refusal = batch_refusal(tiny_config("llama") | changes)
    assert reason in refusal
    assert refusal.endswith(".")


@pytest.mark.parametrize("model_type", sorted(RECURRENT))
def test_recurrent_layers_beside_attention_are_not_refused(model_type):
    kinds = ["linear_attention", "conv", "mamba", "attention", "full_attention"]
    assert batch_refusal(tiny_config("llama") | {"model_type": model_type, "layer_types": kinds}) == ""
    windows = {"model_type": model_type, "layer_types": ["linear_attention", "sliding_attention"]}
    assert "'sliding_attention'" in batch_refusal(tiny_config("llama") | windows)


@pytest.mark.parametrize("changes", [{}, _WINDOWED])
def test_a_llama_with_and_without_windows_is_not_refused(changes):
    assert batch_refusal(tiny_config("llama") | changes) == ""
