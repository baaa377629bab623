"""Tiny random block drafters for a tiny target's folder, as z-lab and DeepSpec publish them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx

from tests.engine.tiny import write_json

_LAYERS = {
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "intermediate_size": 48,
    "rms_norm_eps": 1e-6,
    "max_position_embeddings": 512,
    "rope_theta": 10000.0,
}
_RANK = 8


def tiny_dflash(folder: Path, target_folder: Path, seed: int = 0, **changes: Any) -> Path:
    """A DFlash drafter of two layers, the first of which slides; it borrows embedding and head."""
    sliding = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 12}
    fields = _fields(target_folder)
    taps, mask = fields.pop("target_layer_ids"), fields.pop("mask_token_id")
    own = {"dflash_config": {"block_size": 6, "target_layer_ids": taps, "mask_token_id": mask}}
    config = {"architectures": ["DFlashDraftModel"], "model_type": "qwen3", **_LAYERS, **sliding, **fields, **own}
    config |= changes
    return write_drafter(folder, config, _body(config, config["dflash_config"]["target_layer_ids"]), seed)


def tiny_dspark(folder: Path, target_folder: Path, seed: int = 0, **changes: Any) -> Path:
    """A DSpark drafter with all that it can have: its own embedding and head, a Markov head, a confidence head."""
    heads = {"markov_rank": _RANK, "markov_head_type": "vanilla"}
    heads |= {"enable_confidence_head": True, "confidence_head_with_markov": True}
    config = {"architectures": ["Qwen3DSparkModel"], **_LAYERS, **_fields(target_folder), "block_size": 5, **heads}
    config |= changes
    hidden, vocabulary, rank = config["hidden_size"], config["vocab_size"], config["markov_rank"]
    shapes = _body(config, config["target_layer_ids"])
    shapes |= {"embed_tokens.weight": (vocabulary, hidden), "lm_head.weight": (vocabulary, hidden)}
    shapes |= {"markov_head.markov_w1.weight": (vocabulary, rank), "markov_head.markov_w2.weight": (vocabulary, rank)}
    shapes |= _MARKOV[config["markov_head_type"]](hidden, rank)
    if config["enable_confidence_head"]:
        num_inputs = hidden + rank * config["confidence_head_with_markov"]
        shapes |= {"confidence_head.proj.weight": (1, num_inputs), "confidence_head.proj.bias": (1,)}
    return write_drafter(folder, config, shapes, seed)


def write_drafter(
    folder: Path, config: dict[str, Any], shapes: Mapping[str, tuple[int, ...]], seed: int = 0, **arrays: mx.array
) -> Path:
    """Random fp32 tensors of these shapes, but for those that are given."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = mx.random.split(mx.random.key(seed), len(shapes))
    weights = {name: _random(shape, key) for (name, shape), key in zip(shapes.items(), keys, strict=True)}
    mx.save_safetensors(str(folder / "model.safetensors"), {**weights, **arrays}, {"format": "mlx"})
    write_json(folder / "config.json", config)
    return folder


_MARKOV = {
    "vanilla": lambda hidden, rank: {},
    "gated": lambda hidden, rank: {
        "markov_head.gate_proj.weight": (rank, hidden + rank),
        "markov_head.gate_proj.bias": (rank,),
    },
    "rnn": lambda hidden, rank: {
        "markov_head.joint_proj.weight": (3 * rank, 2 * rank + hidden),
        "markov_head.joint_proj.bias": (3 * rank,),
    },
}


def _fields(target_folder: Path) -> dict[str, Any]:
    """What follows from the target: its embeddings and its last layer but one are tapped."""
    config = json.loads((target_folder / "config.json").read_text(encoding="utf-8"))
    config |= config.get("text_config", {})
    num_layers, vocabulary = config["num_hidden_layers"], config["vocab_size"]
    return {
        "hidden_size": config["hidden_size"],
        "vocab_size": vocabulary,
        "num_target_layers": num_layers,
        "target_layer_ids": [-1, num_layers - 2],
        "mask_token_id": vocabulary - 1,
    }


def _body(config: Mapping[str, Any], taps: list[int]) -> dict[str, tuple[int, ...]]:
    hidden, size, inner = config["hidden_size"], config["head_dim"], config["intermediate_size"]
    queries, keys = config["num_attention_heads"] * size, config["num_key_value_heads"] * size
    layer = {
        "self_attn.q_proj": (queries, hidden),
        "self_attn.k_proj": (keys, hidden),
        "self_attn.v_proj": (keys, hidden),
        "self_attn.o_proj": (hidden, queries),
        "self_attn.q_norm": (size,),
        "self_attn.k_norm": (size,),
        "mlp.gate_proj": (inner, hidden),
        "mlp.up_proj": (inner, hidden),
        "mlp.down_proj": (hidden, inner),
        "input_layernorm": (hidden,),
        "post_attention_layernorm": (hidden,),
    }
    top = {"fc": (hidden, len(taps) * hidden), "hidden_norm": (hidden,), "norm": (hidden,)}
    shapes: dict[str, tuple[int, ...]] = {f"{name}.weight": shape for name, shape in top.items()}
    for index in range(config["num_hidden_layers"]):
        for name, shape in layer.items():
            shapes[f"layers.{index}.{name}.weight"] = shape
            if config.get("attention_bias") and name.endswith("proj") and "attn" in name:
                shapes[f"layers.{index}.{name}.bias"] = shape[:1]
    return shapes


def _random(shape: tuple[int, ...], key: mx.array) -> mx.array:
    noise = mx.random.normal(shape, key=key)
    return 0.3 * noise if len(shape) > 1 else 1 + 0.1 * noise
