"""Tiny EAGLE-3 heads with random weights for any target."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.models.architecture import num_layers, text_config
from tests.engine.tiny import write_json

_LAYER = {
    "model_type": "llama",
    "intermediate_size": 24,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "max_position_embeddings": 512,
}


def tiny_eagle3(
    folder: Path, target: Path, *, seed: int = 0, layer: Mapping[str, Any] | None = None, **changes: Any
) -> Path:
    """Write a head in the layout of speculators, which proposes every other token.

    `changes` are of its config, `layer` of what it says of its layer.

    It reads the embeddings, the first and the last but one layer of the target, and embeds tokens as this does.
    """
    config = text_config(json.loads((target / "config.json").read_text("utf-8")))
    hidden, vocab_size = config["hidden_size"], config["vocab_size"]
    head = {
        "speculators_model_type": "eagle3",
        "draft_vocab_size": vocab_size // 2,
        "eagle_aux_hidden_state_layer_ids": [0, 1, num_layers(config) - 1],
        "transformer_layer_config": {**_LAYER, "hidden_size": hidden, "vocab_size": vocab_size, **(layer or {})},
        **changes,
    }
    keys = iter(mx.random.split(mx.random.key(seed), 64))
    weights = {
        name: 0.6 * mx.random.normal(shape, key=next(keys)) if len(shape) > 1 else mx.ones(shape)
        for name, shape in _shapes(head, hidden).items()
    }
    weights["d2t"] = mx.arange(head["draft_vocab_size"], dtype=mx.int64)  # token i is the target's token 2i
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", head)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
    return folder


def _shapes(head: dict[str, Any], hidden: int) -> dict[str, tuple[int, ...]]:
    layer = head["transformer_layer_config"]
    queries, keys = (layer[f"num_{kind}_heads"] * layer["head_dim"] for kind in ("attention", "key_value"))
    inner = layer["intermediate_size"]
    shapes: dict[str, tuple[int, ...]] = {
        "fc.weight": (hidden, len(head["eagle_aux_hidden_state_layer_ids"]) * hidden),
        "lm_head.weight": (head["draft_vocab_size"], hidden),
        "norm.weight": (hidden,),
    }
    shapes |= {f"layers.0.self_attn.{name}_proj.weight": (keys, 2 * hidden) for name in "kv"}
    shapes["layers.0.self_attn.q_proj.weight"] = (queries, 2 * hidden)
    shapes["layers.0.self_attn.o_proj.weight"] = (hidden, queries)
    shapes |= {f"layers.0.mlp.{name}_proj.weight": (inner, hidden) for name in ("gate", "up")}
    shapes["layers.0.mlp.down_proj.weight"] = (hidden, inner)
    norms = ("input_layernorm", "hidden_norm", "post_attention_layernorm")
    return shapes | {f"layers.0.{name}.weight": (hidden,) for name in norms}
