"""Every proven model type gives rows of a batch, each at its own offset, the logits that they have alone."""

from __future__ import annotations

import mlx.core as mx
import pytest
from mlx_lm.models.cache import KVCache, make_prompt_cache

from engine.kv.rows import open_rows
from engine.models.architecture import text_config
from engine.models.proven import FULL_ATTENTION, PROVEN, RECURRENT, batch_refusal
from tests.engine.tiny import tiny_config, tiny_model

_PROMPTS = ((5, 9, 3), (7, 1, 12, 30, 2, 2, 8), (40, 41, 42, 43, 44))
_NEXT = ((1, 2, 3), (9, 8, 7), (4, 4, 60))


class RowsCache:
    """The plainest KV cache whose rows have their own offsets: position p of a row lies in slot p."""

    def __init__(self, rows: list[KVCache]) -> None:
        self.offset = mx.array([row.offset for row in rows])
        self._length = max(row.offset for row in rows) + 8
        self._keys, self._values = (
            mx.concatenate([self._pad(row, name) for row in rows]) for name in ("keys", "values")
        )

    def _pad(self, row: KVCache, name: str) -> mx.array:
        array = getattr(row, name)[..., : row.offset, :]
        return mx.pad(array, [(0, 0), (0, 0), (0, self._length - row.offset), (0, 0)])

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Write behind each row's own tokens and return all slots."""
        width = keys.shape[2]
        slots = (self.offset[:, None] + mx.arange(width))[:, None, :, None]
        self._keys = mx.put_along_axis(self._keys, mx.broadcast_to(slots, keys.shape), keys, axis=2)
        self._values = mx.put_along_axis(self._values, mx.broadcast_to(slots, values.shape), values, axis=2)
        self.offset = self.offset + width
        return self._keys, self._values

    def make_mask(self, width: int, return_array: bool = False, window_size: int | None = None) -> mx.array:
        """Each row sees its own tokens up to each of the new ones."""
        last = self.offset[:, None] + mx.arange(width)
        return (mx.arange(self._length) <= last[..., None])[:, None]


@pytest.mark.parametrize("model_type", sorted(FULL_ATTENTION))
def test_rows_of_a_batch_give_the_logits_that_they_give_alone(model_type):
    model = tiny_model(model_type)
    alone = [make_prompt_cache(model) for _ in _PROMPTS]
    for prompt, cache in zip(_PROMPTS, alone, strict=True):
        model(mx.array([prompt]), cache=cache)
    batch = [RowsCache([cache[layer] for cache in alone]) for layer in range(len(model.layers))]
    together = model(mx.array(_NEXT), cache=batch)
    expected = mx.concatenate([model(mx.array([ids]), cache=cache) for ids, cache in zip(_NEXT, alone, strict=True)])
    assert all(type(layer) is KVCache for cache in alone for layer in cache)
    assert mx.abs(together - expected).max().item() < 1e-4 * mx.abs(expected).max().item()


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
        ({"model_type": "gemma3_text"}, "not proven"),
        ({"layer_types": ["full_attention", "sliding_attention"]}, "whole context"),
        ({"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}, "dynamic rope"),
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
    assert "whole context" in batch_refusal(tiny_config("llama") | windows)


def test_a_plain_llama_is_not_refused():
    assert batch_refusal(tiny_config("llama")) == ""
