"""An assistant's forward: one position a row, which attends to what the target has read. Pure; knows no engine.

Source: transformers 5.24, models/gemma4_assistant/modeling_gemma4_assistant.py; layers are mlx-lm's Gemma 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.gemma4_text import DecoderLayer, ModelArgs

from engine.models.drafting.assistant import FULL, SLIDING, AssistantSpec


@dataclass(frozen=True, slots=True)
class Borrowed:
    """What all steps of a round read of the target, by kind of layer.

    keys_values: each [rows, heads, columns, head size], keys after rope. masks: bool [rows, 1, 1, columns].
    position: that of every step, which the token before the pending one has; a number, or [rows] int32.
    """

    keys_values: Mapping[str, tuple[mx.array, mx.array]]
    masks: Mapping[str, mx.array]
    position: int | mx.array


class AssistantModel(nn.Module):
    """Parameters have their published names."""

    def __init__(self, spec: AssistantSpec) -> None:
        super().__init__()
        self.model = Layers(spec)
        self.pre_projection = nn.Linear(2 * spec.hidden_size, spec.width, bias=False)
        self.post_projection = nn.Linear(spec.width, spec.hidden_size, bias=False)
        self.masked_embedding = CentroidHead(spec) if spec.num_centroids else None

    @property
    def dtype(self) -> mx.Dtype:
        """What it computes in."""
        dtype: mx.Dtype = self.model.norm.weight.dtype
        return dtype

    def __call__(self, embedded: mx.array, hidden: mx.array, borrowed: Borrowed) -> tuple[mx.array, mx.array]:
        """One step for every row: logits [rows, vocabulary] of the token that follows, and its hidden state.

        embedded: the last token as the target's first layer sees it, hidden: the state that it came from, the target's
        after its final norm or that of the step before; both [rows, 1, hidden], as is what is returned.
        """
        inputs = mx.concatenate([embedded, hidden], axis=-1).astype(self.dtype)
        output = self.model(self.pre_projection(inputs), borrowed)
        if self.masked_embedding is None:
            logits = self.model.embed_tokens.as_linear(output)[:, 0]
        else:
            logits = self.masked_embedding(output[:, 0], self.model.embed_tokens)
        return logits, self.post_projection(output)


class Layers(nn.Module):
    """Gemma 4 layers without keys and values of their own, and the norm after them."""

    def __init__(self, spec: AssistantSpec) -> None:
        super().__init__()
        arguments = layer_arguments(spec)
        self.embed_tokens = nn.Embedding(spec.vocab_size, spec.width)
        self.layers = [DecoderLayer(arguments, layer) for layer in range(len(spec.layer_types))]
        self.norm = nn.RMSNorm(spec.width, eps=spec.norm_eps)
        self._kinds = spec.layer_types

    def __call__(self, inputs: mx.array, borrowed: Borrowed) -> mx.array:
        """[rows, 1, width] to the same."""
        for kind, layer in zip(self._kinds, self.layers, strict=True):
            inputs, _, _ = layer(
                inputs,
                borrowed.masks[kind],
                shared_kv=borrowed.keys_values[kind],
                offset=borrowed.position,
            )
        return self.norm(inputs)


class CentroidHead(nn.Module):
    """Scores the tokens of the few centroids that are nearest, instead of all.

    The references give every other token the least of these scores less one, over all rows; here it is never drawn, so
    that a row's choice depends on no other row.
    """

    def __init__(self, spec: AssistantSpec) -> None:
        super().__init__()
        self.centroids = nn.Linear(spec.width, spec.num_centroids, bias=False)
        self.token_ordering = mx.zeros((spec.vocab_size,), dtype=mx.int32)  # tokens, centroid by centroid
        self._num_chosen = spec.num_chosen

    def __call__(self, output: mx.array, table: nn.Embedding) -> mx.array:
        """[rows, width] to logits [rows, vocabulary]."""
        scores = self.centroids(output)
        chosen = mx.argpartition(-scores, kth=self._num_chosen - 1, axis=-1)[:, : self._num_chosen]
        members = self.token_ordering.reshape(scores.shape[-1], -1)
        token_ids = members[chosen].reshape(len(output), -1)
        logits = (table(token_ids) @ output[:, :, None])[:, :, 0]
        others = mx.full((len(output), self.token_ordering.size), -mx.inf, dtype=logits.dtype)
        return mx.put_along_axis(others, token_ids, logits, axis=-1)


def layer_arguments(spec: AssistantSpec) -> ModelArgs:
    """mlx-lm's arguments of layers that all share keys and values, and have nothing else of Gemma 4's options."""
    return ModelArgs(
        hidden_size=spec.width,
        num_hidden_layers=len(spec.layer_types),
        intermediate_size=spec.intermediate_size,
        num_attention_heads=spec.num_heads,
        head_dim=spec.head_sizes[SLIDING],
        global_head_dim=spec.head_sizes[FULL],
        rms_norm_eps=spec.norm_eps,
        vocab_size=spec.vocab_size,
        num_kv_shared_layers=len(spec.layer_types),
        hidden_size_per_layer_input=0,
        rope_parameters=dict(spec.rope) if spec.rope else None,
        use_double_wide_mlp=False,
        layer_types=list(spec.layer_types),
    )


def visible(positions: mx.array, lengths: mx.array, window: int | None) -> mx.array:
    """Which columns a row attends to: bool [rows, 1, 1, columns].

    positions [rows, columns], below 0 where a column holds nothing; lengths [rows]: tokens that the target has read,
    behind which stands what it rejected. A window shows what a target's own layer does at the last of them: that many
    tokens, itself included. transformers shows one more and mlx-vlm, once its cache has wrapped, one less. A row that
    would see nothing sees all, so that no softmax is over nothing.
    """
    ends = lengths[:, None]
    seen = (positions >= 0) & (positions < ends)
    if window:
        seen = seen & (positions >= ends - window)
    return (seen | ~mx.any(seen, axis=-1, keepdims=True))[:, None, None, :]
