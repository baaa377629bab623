"""Tiny random assistants of tiny Gemma 4 targets, as they would be published."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.models.architecture import text_config
from tests.engine.tiny import write_json

GROUP_SIZE = 32
_FROM_TARGET = ("vocab_size", "head_dim", "global_head_dim", "sliding_window", "rope_parameters", "rms_norm_eps")


def tiny_assistant(
    folder: Path, target_folder: Path, seed: int = 0, *, bits: int = 0, num_centroids: int = 0, **changes: Any
) -> Path:
    """Write an assistant for a target's folder; `changes` are of its text_config, `bits` packs what can be.

    Half of its centroids are chosen where it has any.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config = tiny_assistant_config(target_folder, num_centroids, **changes)
    if bits:
        config["quantization"] = {"bits": bits, "group_size": GROUP_SIZE}
    write_json(folder / "config.json", config)
    keys = iter(mx.random.split(mx.random.key(seed), 256))
    weights = {name: _random(shape, next(keys)) for name, shape in _shapes(config, num_centroids)}
    if num_centroids:
        order = mx.random.permutation(config["text_config"]["vocab_size"], key=next(keys))
        weights["masked_embedding.token_ordering"] = order.astype(mx.int64)
    save_weights(folder, pack(weights, bits) if bits else weights)
    return folder


def tiny_assistant_config(target_folder: Path, num_centroids: int = 0, **changes: Any) -> dict[str, Any]:
    """A published config: two sliding layers and a full one, narrower than the target."""
    target = text_config(json.loads((target_folder / "config.json").read_text("utf-8")))
    text = {
        "model_type": "gemma4_text",
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 3,
        "num_kv_shared_layers": 3,
        "num_attention_heads": 4,
        "layer_types": ["sliding_attention", "sliding_attention", "full_attention"],
        "max_position_embeddings": 512,
        **{name: target[name] for name in _FROM_TARGET if name in target},
    }
    return {
        "model_type": "gemma4_assistant",
        "backbone_hidden_size": target["hidden_size"],
        "use_ordered_embeddings": bool(num_centroids),
        "num_centroids": num_centroids or 2048,
        "centroid_intermediate_top_k": num_centroids // 2 or 32,
        "text_config": text | changes,
    }


def save_weights(folder: Path, weights: dict[str, mx.array]) -> None:
    """Write what the folder's tensors are from here on."""
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})


def pack(weights: dict[str, mx.array], bits: int) -> dict[str, mx.array]:
    """Pack every matrix of whole groups as mlx-lm does."""
    packed = dict(weights)
    for name, array in weights.items():
        if array.ndim == 2 and array.shape[-1] % GROUP_SIZE == 0:
            parts = mx.quantize(array, group_size=GROUP_SIZE, bits=bits)
            module = name.removesuffix(".weight")
            packed |= zip((name, f"{module}.scales", f"{module}.biases"), parts, strict=True)
    return packed


def _shapes(config: dict[str, Any], num_centroids: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    text = config["text_config"]
    width, inner, hidden = text["hidden_size"], text["intermediate_size"], config["backbone_hidden_size"]
    yield from {
        "model.embed_tokens.weight": (text["vocab_size"], width),
        "model.norm.weight": (width,),
        "pre_projection.weight": (width, 2 * hidden),
        "post_projection.weight": (hidden, width),
    }.items()
    if num_centroids:
        yield "masked_embedding.centroids.weight", (num_centroids, width)
    for layer, kind in enumerate(text["layer_types"]):
        size = text["global_head_dim" if kind == "full_attention" else "head_dim"]
        queries = text["num_attention_heads"] * size
        yield from {
            f"model.layers.{layer}.layer_scalar": (1,),
            f"model.layers.{layer}.self_attn.q_proj.weight": (queries, width),
            f"model.layers.{layer}.self_attn.q_norm.weight": (size,),
            f"model.layers.{layer}.self_attn.o_proj.weight": (width, queries),
            f"model.layers.{layer}.mlp.gate_proj.weight": (inner, width),
            f"model.layers.{layer}.mlp.up_proj.weight": (inner, width),
            f"model.layers.{layer}.mlp.down_proj.weight": (width, inner),
        }.items()
        for norm in ("input", "post_attention", "pre_feedforward", "post_feedforward"):
            yield f"model.layers.{layer}.{norm}_layernorm.weight", (width,)


def _random(shape: tuple[int, ...], key: mx.array) -> mx.array:
    """Norms and scalars near 1, matrices large enough that attention and text vary."""
    noise = mx.random.normal(shape, key=key)
    return 0.4 * noise if len(shape) == 2 else 1 + 0.1 * noise
