"""Layers of a block drafter: what they keep of the target's context, and the forward over one block of tokens.

Sources: z-lab's dflash 0.1.0 and DeepSpec, whose torch code tests/data/goldens were computed with; arXiv:2602.06036.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import KVCache, RotatingKVCache

from engine.drafters.block.heads import ConfidenceHead, MarkovHead
from engine.drafters.rotary import Rotation
from engine.kv.state import HeldTokens
from engine.models.drafting.block_spec import BlockSpec, Reach

# Context tokens that a full layer attends to, the latest ones: drafters are trained on short texts. A DSpark head
# accepted 1.98 tokens a round over 32k of context and 2.60 over the last 4,096 of it (mlx-dspark); and what a block
# costs stays the same in a long chat.
CONTEXT_WINDOW = 4096

Offset = int | mx.array  # position of the first token: one number, or [rows] int32


class Attention(nn.Module):
    """Queries of a block over the context that was projected before, and over the block itself."""

    def __init__(self, spec: BlockSpec) -> None:
        super().__init__()
        shape, hidden, size = spec.layers, spec.hidden_size, spec.layers.head_size
        self.shape = shape
        self.scale = 1.0 if shape.is_gemma else size**-0.5
        self.q_proj = nn.Linear(hidden, shape.num_heads * size, bias=shape.has_bias)
        self.k_proj = nn.Linear(hidden, shape.num_kv_heads * size, bias=shape.has_bias)
        if not shape.shares_values:
            self.v_proj = nn.Linear(hidden, shape.num_kv_heads * size, bias=shape.has_bias)
        self.o_proj = nn.Linear(shape.num_heads * size, hidden, bias=shape.has_bias)
        self.q_norm = nn.RMSNorm(size, eps=shape.norm_eps)
        self.k_norm = nn.RMSNorm(size, eps=shape.norm_eps)

    def project(self, inputs: mx.array, rope: nn.Module, offset: Offset) -> tuple[mx.array, mx.array]:
        """Keys and values of [rows, width, hidden]; of the context they are kept, of a block they are not."""
        keys = _split(self.k_proj(inputs), self.shape.num_kv_heads)
        values = keys if self.shape.shares_values else _split(self.v_proj(inputs), self.shape.num_kv_heads)
        if self.shape.is_gemma:
            values = mx.fast.rms_norm(values, None, self.shape.norm_eps)
        return _rotate(self.k_norm(keys), rope, offset), values.transpose(0, 2, 1, 3)

    def __call__(
        self, hidden: mx.array, held: HeldTokens | None, mask: mx.array, rope: nn.Module, offset: Offset
    ) -> mx.array:
        queries = _rotate(self.q_norm(_split(self.q_proj(hidden), self.shape.num_heads)), rope, offset)
        keys, values = self.project(hidden, rope, offset)
        if held is not None:
            keys = mx.concatenate([held.keys, keys], axis=2)
            values = mx.concatenate([held.values, values], axis=2)
        attended = mx.fast.scaled_dot_product_attention(queries, keys, values, scale=self.scale, mask=mask)
        rows, _, width, _ = attended.shape
        output: mx.array = self.o_proj(attended.transpose(0, 2, 1, 3).reshape(rows, width, -1))
        return output


class Mlp(nn.Module):
    def __init__(self, spec: BlockSpec) -> None:
        super().__init__()
        self.activation = nn.gelu_approx if spec.layers.is_gemma else nn.silu
        self.gate_proj = nn.Linear(spec.hidden_size, spec.layers.intermediate_size, bias=False)
        self.up_proj = nn.Linear(spec.hidden_size, spec.layers.intermediate_size, bias=False)
        self.down_proj = nn.Linear(spec.layers.intermediate_size, spec.hidden_size, bias=False)

    def __call__(self, hidden: mx.array) -> mx.array:
        output: mx.array = self.down_proj(self.activation(self.gate_proj(hidden)) * self.up_proj(hidden))
        return output


class Layer(nn.Module):
    """Qwen 3's layer."""

    def __init__(self, spec: BlockSpec) -> None:
        super().__init__()
        self.self_attn = Attention(spec)
        self.mlp = Mlp(spec)
        self.input_layernorm = nn.RMSNorm(spec.hidden_size, eps=spec.layers.norm_eps)
        self.post_attention_layernorm = nn.RMSNorm(spec.hidden_size, eps=spec.layers.norm_eps)

    def __call__(self, hidden: mx.array, *attended: Any) -> mx.array:
        hidden = hidden + self.self_attn(self.input_layernorm(hidden), *attended)
        output: mx.array = hidden + self.mlp(self.post_attention_layernorm(hidden))
        return output


class GemmaLayer(Layer):
    """Gemma 4's: norms on both sides of each part, and a scalar over all."""

    def __init__(self, spec: BlockSpec) -> None:
        super().__init__(spec)
        self.pre_feedforward_layernorm = nn.RMSNorm(spec.hidden_size, eps=spec.layers.norm_eps)
        self.post_feedforward_layernorm = nn.RMSNorm(spec.hidden_size, eps=spec.layers.norm_eps)
        self.layer_scalar = mx.ones(1)

    def __call__(self, hidden: mx.array, *attended: Any) -> mx.array:
        attention = self.self_attn(self.input_layernorm(hidden), *attended)
        hidden = hidden + self.post_attention_layernorm(attention)
        hidden = hidden + self.post_feedforward_layernorm(self.mlp(self.pre_feedforward_layernorm(hidden)))
        output: mx.array = hidden * self.layer_scalar
        return output


class BlockModel(nn.Module):
    """Parameters have their published names; embedding and head are there where the checkpoint brings its own."""

    def __init__(self, spec: BlockSpec) -> None:
        super().__init__()
        self.spec = spec
        self.fc = nn.Linear(len(spec.tap_layers) * spec.hidden_size, spec.hidden_size, bias=False)
        self.hidden_norm = nn.RMSNorm(spec.hidden_size, eps=spec.layers.norm_eps)
        self.layers = [(GemmaLayer if spec.layers.is_gemma else Layer)(spec) for _ in spec.layers.reaches]
        self.norm = nn.RMSNorm(spec.hidden_size, eps=spec.layers.norm_eps)
        self.rope = Rotation(spec.layers.rotary)
        if spec.has_embedding:
            self.embed_tokens = nn.Embedding(spec.vocab_size, spec.hidden_size)
        if spec.has_head:
            self.lm_head = nn.Linear(spec.hidden_size, spec.output_size, bias=False)
        if spec.heads.markov:
            self.markov_head = MarkovHead(spec)
        if spec.heads.has_confidence:
            self.confidence_head = ConfidenceHead(spec)

    def make_cache(self) -> list[KVCache | RotatingKVCache]:
        """mlx-lm's caches of the context, which tell what layouts the layers need."""
        return [
            KVCache() if reach.window is None else RotatingKVCache(reach.window) for reach in self.spec.layers.reaches
        ]

    def project(self, context: mx.array, offset: Offset) -> list[tuple[mx.array, mx.array]]:
        """Each layer's keys and values [rows, heads, width, size] of context [rows, width, taps * hidden]."""
        projected = self.hidden_norm(self.fc(context.astype(self.norm.weight.dtype)))
        return [layer.self_attn.project(projected, self.rope, offset) for layer in self.layers]

    def __call__(self, embedded: mx.array, held: Sequence[HeldTokens | None], lengths: Sequence[int]) -> mx.array:
        """Normed output for the whole block: embedded [rows, block, hidden], behind `lengths` tokens of each row."""
        rows, width, _ = embedded.shape
        starts = mx.array(list(lengths), dtype=mx.int32)
        offset = lengths[0] if len(set(lengths)) == 1 else starts
        masks: dict[Reach, mx.array] = {}
        hidden = embedded
        for layer, reach, kept in zip(self.layers, self.spec.layers.reaches, held, strict=True):
            if reach not in masks:  # layers of one reach hold the same positions
                positions = mx.zeros((rows, 0), dtype=mx.int32) if kept is None else kept.positions
                masks[reach] = block_mask(positions, starts, width, reach, self.spec.window_from_anchor)
            hidden = layer(hidden, kept, masks[reach], self.rope, offset)
        output: mx.array = self.norm(hidden)
        return output

    def own_logits(self, hidden: mx.array) -> mx.array:
        """Of the checkpoint's own head, over the tokens that it tells apart."""
        logits: mx.array = self.lm_head(hidden)
        cap = self.spec.softcap
        return logits if cap is None else mx.tanh(logits / cap) * cap


def block_mask(
    positions: mx.array, lengths: mx.array, width: int, reach: Reach, window_from_anchor: bool = False
) -> mx.array:
    """What a block's queries may attend to, bool [rows, 1, width, columns + width].

    positions [rows, columns] of the context's columns, of which those in [0, lengths[row]) are the row's own.
    """
    held, ends = positions[:, None, None, :], lengths[:, None, None, None]
    offsets = mx.arange(width, dtype=mx.int32)[:, None]
    queries = ends + offsets
    seen = (held >= 0) & (held < ends)
    if reach.window is None:
        seen = seen & (held >= ends - CONTEXT_WINDOW)
    elif window_from_anchor:
        seen = seen & (held >= ends - reach.window)
    else:
        seen = seen & (held > queries - reach.window)
    inside = mx.ones((width, width), dtype=mx.bool_)
    if reach.is_causal:
        inside = offsets >= offsets.T
    shape = (len(positions), 1, width)
    parts = [mx.broadcast_to(seen, (*shape, positions.shape[1])), mx.broadcast_to(inside, (*shape, width))]
    return mx.concatenate(parts, axis=-1)


def _split(projected: mx.array, num_heads: int) -> mx.array:
    return projected.reshape(*projected.shape[:2], num_heads, -1)


def _rotate(vectors: mx.array, rope: nn.Module, offset: Offset) -> mx.array:
    """[rows, width, heads, size] to [rows, heads, width, size] at positions from `offset` on."""
    rotated: mx.array = rope(vectors.transpose(0, 2, 1, 3), offset=offset)
    return rotated
