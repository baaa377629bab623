"""An EAGLE-3 head that is taught: the same chain of one layer that drafting runs, at many places of a text at once.

Source: Li et al. 2025, arXiv:2503.01840, training-time test.
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

from engine.drafters.eagle3.model import Eagle3
from engine.drafters.rotary import Rotation
from engine.models.drafting.eagle3 import Eagle3Spec
from engine.training.batches import Batch
from engine.training.chain import embed, places, take
from engine.training.teacher import Teacher

Keys = tuple[mx.array, mx.array]


class Eagle3Student:
    """A head of one plain layer and its teacher."""

    def __init__(self, spec: Eagle3Spec, teacher: Teacher) -> None:
        assert len(spec.windows) == 1, "one layer is taught"
        assert not spec.layer.is_sandwich, "a plain layer is taught"
        self.module = Eagle3(spec)
        self._spec = spec
        self._teacher = teacher
        self._rotate = Rotation(spec.layer.rotary)

    def logits(self, batch: Batch, num_steps: int) -> tuple[mx.array, mx.array]:
        """As Student says. The text's own pairs up to an anchor are read with true features, the chain after it with
        what the head computed one step before."""
        taps, hidden = self._teacher.read(batch.token_ids)
        positions, _ = places(batch, num_steps)
        wanted = self._teacher.logits(take(hidden, positions - 1))
        embedded = embed(self._teacher, batch.token_ids) * self._spec.embed_scale
        return self.module.logits(self._chain(embedded, taps, batch.anchors, num_steps)), wanted

    def _chain(self, embedded: mx.array, taps: mx.array, anchors: mx.array, num_steps: int) -> mx.array:
        """What the logits are computed from, [rows, anchors, steps, width]."""
        module = self.module
        features = module.features(taps.astype(module.fc.weight.dtype))[:, :-1]
        embedded = embedded.astype(features.dtype)
        text = self._keys(self._inputs(embedded[:, 1:], features)[0])
        is_seen = mx.arange(features.shape[1], dtype=mx.int32) <= anchors[..., None]
        hidden, chain, outputs = take(features, anchors), [], []
        for step in range(num_steps):
            inputs, residual = self._inputs(take(embedded, anchors + 1 + step), hidden)
            queries = self._turned(module.layers[0].self_attn.q_proj(inputs), anchors + step)
            if step:
                chain.append(self._keys_of_step(inputs, anchors + step))
            mixed = _attend(queries, text, chain, is_seen, self._spec.layer.head_size**-0.5)
            hidden = residual + module.layers[0].self_attn.o_proj(mixed)
            hidden = hidden + module.layers[0].mlp(module.layers[0].post_attention_layernorm(hidden))
            hidden = module.norm(hidden) if self._spec.chains_normed else hidden
            outputs.append(hidden)
        return mx.stack(outputs, axis=2)

    def _inputs(self, embedded: mx.array, hidden: mx.array) -> tuple[mx.array, mx.array]:
        """What attention reads of pairs, and what it is added to."""
        layer = self.module.layers[0]
        normed = layer.hidden_norm(hidden)
        inputs = mx.concatenate([layer.input_layernorm(embedded), normed], axis=-1)
        return inputs, normed if self._spec.residual_is_normed else hidden

    def _keys(self, inputs: mx.array) -> Keys:
        """Keys and values of a whole text, [rows, heads, width, head size]."""
        attention, size = self.module.layers[0].self_attn, self._spec.layer.head_size
        keys, values = (
            projected.reshape(*projected.shape[:2], -1, size).transpose(0, 2, 1, 3)
            for projected in (attention.k_proj(inputs), attention.v_proj(inputs))
        )
        return self._rotate(keys), values

    def _keys_of_step(self, inputs: mx.array, positions: mx.array) -> Keys:
        """Keys and values of one step of each chain, [rows, anchors, heads, head size]."""
        attention, size = self.module.layers[0].self_attn, self._spec.layer.head_size
        values = attention.v_proj(inputs)
        return self._turned(attention.k_proj(inputs), positions), values.reshape(*values.shape[:2], -1, size)

    def _turned(self, projected: mx.array, positions: mx.array) -> mx.array:
        """[rows, anchors, heads · size] as [rows, anchors, heads, size], each anchor turned by its own position."""
        rows, anchors, _ = projected.shape
        heads = projected.reshape(rows * anchors, 1, -1, self._spec.layer.head_size).transpose(0, 2, 1, 3)
        return self._rotate(heads, offset=positions.reshape(-1)).reshape(rows, anchors, -1, heads.shape[-1])


def _attend(queries: mx.array, text: Keys, chain: Sequence[Keys], is_seen: mx.array, scale: float) -> mx.array:
    """Queries [rows, anchors, heads, size] over the text that each anchor has seen and its own chain; heads joined.

    is_seen [rows, anchors, width] bool. Query heads share the keys of a group.
    """
    rows, anchors, _, size = queries.shape
    num_groups = text[0].shape[1]
    grouped = (queries * scale).reshape(rows, anchors, num_groups, -1, size)
    of_text = grouped.transpose(0, 2, 3, 1, 4).reshape(rows, num_groups, -1, size)
    scores = (of_text @ text[0].swapaxes(-1, -2)).reshape(rows, num_groups, -1, anchors, is_seen.shape[-1])
    scores = mx.where(is_seen[:, None, None], scores, mx.finfo(scores.dtype).min)
    if chain:
        keys, values = (mx.stack(list(parts), axis=3) for parts in zip(*chain, strict=True))
        own = (grouped[:, :, :, :, None] * keys[:, :, :, None]).sum(axis=-1).transpose(0, 2, 3, 1, 4)
        scores = mx.concatenate([scores, own], axis=-1)
    weights = mx.softmax(scores, axis=-1, precise=True)
    width = is_seen.shape[-1]
    mixed = weights[..., :width].reshape(rows, num_groups, -1, width) @ text[1]
    mixed = mixed.reshape(rows, num_groups, -1, anchors, size).transpose(0, 3, 1, 2, 4)
    if chain:
        own_weights = weights[..., width:].transpose(0, 3, 1, 2, 4)[..., None]
        mixed = mixed + (own_weights * values[:, :, :, None]).sum(axis=4)
    return mixed.reshape(rows, anchors, -1)
