"""A new EAGLE-3 head in the layout of speculators: its config, and the weights that it begins with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten

from engine.drafters.eagle3.model import Eagle3
from engine.models.drafting.spec import OFFSETS

FIRST_NORM = 0.3  # of the final norm: with a head whose rows are the target's, the first losses are many times smaller


@dataclass(frozen=True, slots=True)
class HeadShape:
    """What of a head is chosen, and not its target's."""

    tap_layers: tuple[int, ...]
    num_draft_tokens: int
    num_heads: int
    num_kv_heads: int
    head_size: int
    intermediate_size: int
    depth: int = 7


def usual_taps(num_layers: int) -> tuple[int, ...]:
    """Five layers from the second to the last but one, evenly; fewer where there are fewer."""
    last = max(num_layers - 2, 0)
    first = min(1, last)
    return tuple(sorted({first + round(step * (last - first) / 4) for step in range(5)}))


def head_config(shape: HeadShape, target: Mapping[str, Any]) -> dict[str, Any]:
    """The config of a head for a target with this text config."""
    hidden = int(target["hidden_size"])
    return {
        "architectures": ["Eagle3Speculator"],
        "speculators_model_type": "eagle3",
        "speculators_config": {
            "algorithm": "eagle3",
            "default_proposal_method": "greedy",
            "proposal_methods": [{"proposal_type": "greedy", "speculative_tokens": shape.depth}],
        },
        "draft_vocab_size": shape.num_draft_tokens,
        "target_hidden_size": hidden,
        "num_target_layers": int(target["num_hidden_layers"]),
        "norm_before_residual": False,
        "eagle_aux_hidden_state_layer_ids": [layer + 1 for layer in shape.tap_layers],
        "transformer_layer_config": {
            "model_type": "llama",
            "hidden_act": "silu",
            "hidden_size": hidden,
            "intermediate_size": shape.intermediate_size,
            "max_position_embeddings": int(target.get("max_position_embeddings", 8192)),
            "num_attention_heads": shape.num_heads,
            "num_hidden_layers": 1,
            "num_key_value_heads": shape.num_kv_heads,
            "head_dim": shape.head_size,
            "rms_norm_eps": 1e-5,
            "rope_theta": float(target.get("rope_theta") or 10_000.0),
            "vocab_size": int(target["vocab_size"]),
        },
    }


def offsets(draft_ids: Sequence[int]) -> mx.array:
    """What each drafted token's id in the target is above its place among those drafted."""
    return mx.array([token_id - place for place, token_id in enumerate(draft_ids)], dtype=mx.int64)


def first_weights(config: Mapping[str, Any], head_rows: mx.array, key: mx.array) -> dict[str, mx.array]:
    """What a new head begins with, fp32: the target's rows to say tokens with, small random matrices elsewhere."""
    arrays = {}
    for name, dims in _shapes(config).items():
        key, own = mx.random.split(key)
        arrays[name] = (
            mx.ones(dims) if len(dims) == 1 else mx.random.normal(dims, key=own) * (0.5 / head_rows.shape[-1] ** 0.5)
        )
    arrays["norm.weight"] = mx.full(arrays["norm.weight"].shape, FIRST_NORM)
    return arrays | {"lm_head.weight": head_rows.astype(mx.float32)}


def published(module: Eagle3, draft_ids: Sequence[int]) -> dict[str, mx.array]:
    """Its arrays, whose names are the published ones, beside the map of its tokens to the target's."""
    return dict(tree_flatten(module.parameters())) | {OFFSETS: offsets(draft_ids)}


def _shapes(config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    layer = config["transformer_layer_config"]
    width, inner = layer["hidden_size"], layer["intermediate_size"]
    queries, keys = (layer[f"num_{kind}_heads"] * layer["head_dim"] for kind in ("attention", "key_value"))
    attention = {"q": (queries, 2 * width), "k": (keys, 2 * width), "v": (keys, 2 * width), "o": (width, queries)}
    mlp = {"gate": (inner, width), "up": (inner, width), "down": (width, inner)}
    norms = ("input_layernorm", "hidden_norm", "post_attention_layernorm")
    return {
        "fc.weight": (width, len(config["eagle_aux_hidden_state_layer_ids"]) * config["target_hidden_size"]),
        "norm.weight": (width,),
        **{f"layers.0.self_attn.{name}_proj.weight": dims for name, dims in attention.items()},
        **{f"layers.0.mlp.{name}_proj.weight": dims for name, dims in mlp.items()},
        **{f"layers.0.{name}.weight": (width,) for name in norms},
    }
