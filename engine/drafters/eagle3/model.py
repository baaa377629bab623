"""The forward of an EAGLE-3 head; its parameters are named as speculators names them.

Source: Li et al. 2025, arXiv:2503.01840; Gemma 4's layer as in DeepSpec.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.base import create_attention_mask, scaled_dot_product_attention
from mlx_lm.models.cache import KVCache, RotatingKVCache

from engine.drafters.rotary import Rotation
from engine.models.drafting.eagle3 import Eagle3Layer, Eagle3Spec


class Attention(nn.Module):
    def __init__(self, spec: Eagle3Layer, num_inputs: int) -> None:
        super().__init__()
        self._spec = spec
        queries, keys = spec.num_heads * spec.head_size, spec.num_kv_heads * spec.head_size
        self.q_proj = nn.Linear(num_inputs, queries, bias="self_attn.q_proj.bias" in spec.present)
        self.k_proj = nn.Linear(num_inputs, keys, bias="self_attn.k_proj.bias" in spec.present)
        if not spec.keys_are_values:
            self.v_proj = nn.Linear(num_inputs, keys, bias="self_attn.v_proj.bias" in spec.present)
        self.o_proj = nn.Linear(queries, spec.width, bias="self_attn.o_proj.bias" in spec.present)
        if "self_attn.q_norm.weight" in spec.present:
            self.q_norm = nn.RMSNorm(spec.head_size, spec.norm_eps)
            self.k_norm = nn.RMSNorm(spec.head_size, spec.norm_eps)
        self._rotate = Rotation(spec.rotary)

    def __call__(self, inputs: mx.array, mask: mx.array | str | None, cache: Any) -> mx.array:
        queries = self._heads(self.q_proj(inputs), "q_norm")
        projected = self.k_proj(inputs)
        keys = self._heads(projected, "k_norm")
        values = self._heads(projected if self._spec.keys_are_values else self.v_proj(inputs))
        if self._spec.is_sandwich:
            values = mx.fast.rms_norm(values, None, self._spec.norm_eps)
        offset = 0 if cache is None else cache.offset
        queries, keys = self._rotate(queries, offset=offset), self._rotate(keys, offset=offset)
        if cache is not None:
            keys, values = cache.update_and_fetch(keys, values)
        scale = 1.0 if self._spec.is_sandwich else self._spec.head_size**-0.5
        mixed = scaled_dot_product_attention(queries, keys, values, cache=cache, scale=scale, mask=mask)
        return self.o_proj(mixed.transpose(0, 2, 1, 3).flatten(2))

    def _heads(self, projected: mx.array, norm: str = "") -> mx.array:
        """[rows, width, heads * size] as [rows, heads, width, size], normed by head where the checkpoint does."""
        heads = projected.reshape(*projected.shape[:2], -1, self._spec.head_size)
        return (self[norm](heads) if norm in self else heads).transpose(0, 2, 1, 3)


class FeedForward(nn.Module):
    def __init__(self, spec: Eagle3Layer) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(spec.width, spec.intermediate_size, bias=False)
        self.up_proj = nn.Linear(spec.width, spec.intermediate_size, bias=False)
        self.down_proj = nn.Linear(spec.intermediate_size, spec.width, bias=False)
        self._activate = nn.gelu_approx if spec.is_sandwich else nn.silu

    def __call__(self, inputs: mx.array) -> mx.array:
        return self.down_proj(self._activate(self.gate_proj(inputs)) * self.up_proj(inputs))


class DecoderLayer(nn.Module):
    """One layer; where it reads tokens, its attention sees the token's embedding beside the hidden state."""

    def __init__(self, spec: Eagle3Spec, reads_tokens: bool) -> None:
        super().__init__()
        layer = spec.layer
        self._residual_is_normed = spec.residual_is_normed
        self.input_layernorm = nn.RMSNorm(layer.width, layer.norm_eps)
        if reads_tokens:
            self.hidden_norm = nn.RMSNorm(layer.width, layer.norm_eps)
        self.self_attn = Attention(layer, layer.width * (2 if reads_tokens else 1))
        self.post_attention_layernorm = nn.RMSNorm(layer.width, layer.norm_eps)
        self.mlp = FeedForward(layer)
        if layer.is_sandwich:
            self.pre_feedforward_layernorm = nn.RMSNorm(layer.width, layer.norm_eps)
            self.post_feedforward_layernorm = nn.RMSNorm(layer.width, layer.norm_eps)
            self.layer_scalar = mx.ones((1,))

    def __call__(self, embedded: mx.array, hidden: mx.array, mask: mx.array | str | None, cache: Any) -> mx.array:
        residual, inputs = hidden, self.input_layernorm(embedded if "hidden_norm" in self else hidden)
        if "hidden_norm" in self:
            normed = self.hidden_norm(hidden)
            residual = normed if self._residual_is_normed else hidden
            inputs = mx.concatenate([inputs, normed], axis=-1)
        mixed = self.self_attn(inputs, mask, cache)
        if "layer_scalar" not in self:
            hidden = residual + mixed
            return hidden + self.mlp(self.post_attention_layernorm(hidden))
        hidden = residual + self.post_attention_layernorm(mixed)
        fed = self.mlp(self.pre_feedforward_layernorm(hidden))
        return (hidden + self.post_feedforward_layernorm(fed)) * self.layer_scalar


class Eagle3(nn.Module):
    """A head: features from the target's taps, or from its own output one step back, to the next token's logits."""

    def __init__(self, spec: Eagle3Spec) -> None:
        super().__init__()
        self._spec = spec
        width, eps = spec.layer.width, spec.layer.norm_eps
        if spec.has_embedding:
            self.embed_tokens = nn.Embedding(spec.vocab_size, width)
        if spec.norms_taps == "together":
            self.input_norm = nn.RMSNorm(spec.num_taps * spec.hidden_size, eps)
        if spec.norms_taps == "each":
            self.fc_norm = [nn.RMSNorm(spec.hidden_size, eps) for _ in range(spec.num_taps)]
        self.fc = nn.Linear(spec.num_taps * spec.hidden_size, width, bias=False)
        self.layers = [DecoderLayer(spec, spec.reads_tokens(index)) for index in range(len(spec.windows))]
        self.norm = nn.RMSNorm(width, eps)
        self.lm_head = nn.Linear(width, spec.num_draft_tokens, bias=False)

    @property
    def has_embedding(self) -> bool:
        """Whether it embeds tokens itself, and not its target for it."""
        return self._spec.has_embedding

    def keep_tokens(self, token_ids: Sequence[int]) -> None:
        """Propose these tokens alone, which need not be all that it was trained for; the head's other rows go."""
        rows = mx.array(list(token_ids), dtype=mx.int32)
        for name, array in self.lm_head.items():
            self.lm_head[name] = mx.take(array, rows, axis=0)
        mx.eval(self.lm_head.parameters())

    def make_cache(self) -> list[KVCache | RotatingKVCache]:
        """Empty caches of its layers, by which rows choose their layout."""
        return [RotatingKVCache(max_size=window) if window else KVCache() for window in self._spec.windows]

    def features(self, taps: mx.array) -> mx.array:
        """What it reads of true positions: [.., taps * hidden size of the target] to [.., its own hidden size]."""
        if "input_norm" in self:
            taps = self.input_norm(taps)
        if "fc_norm" in self:
            parts = mx.split(taps, len(self.fc_norm), axis=-1)
            taps = mx.concatenate([norm(part) for norm, part in zip(self.fc_norm, parts, strict=True)], axis=-1)
        return self.fc(taps)

    def embed(self, token_ids: mx.array, table: Callable[[mx.array], mx.array] | None = None) -> mx.array:
        """Rows of its own embedding, or of another `table` where it has none, scaled as its layers want them."""
        rows: mx.array = (table or self.embed_tokens)(token_ids)
        return rows * self._spec.embed_scale

    def __call__(self, embedded: mx.array, features: mx.array, cache: Sequence[Any]) -> mx.array:
        """Read pairs of a token and the feature before it, both [rows, width, hidden]: what a chained step reads.

        `cache` has an entry for each layer, None to read nothing but these pairs.
        """
        hidden = features
        for layer, window, layer_cache in zip(self.layers, self._spec.windows, cache, strict=True):
            mask = create_attention_mask(features, layer_cache, window_size=window)
            hidden = layer(embedded, hidden, mask, layer_cache)
        return self.norm(hidden) if self._spec.chains_normed else hidden

    def logits(self, output: mx.array) -> mx.array:
        """Logits of the token after each pair, over the tokens that it can propose."""
        logits = self.lm_head(output if self._spec.chains_normed else self.norm(output))
        softcap = self._spec.softcap
        return mx.tanh(logits / softcap) * softcap if softcap else logits
