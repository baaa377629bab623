"""Tiny native MTP heads for tiny targets, in the layout that they are published in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.models.architecture import text_config
from engine.models.drafting.mtp_families import FAMILIES, MtpFamily, layer_shapes, layout_of, outer_shapes
from engine.models.drafting.tensors import Shape
from tests.engine.tiny import write_json

FILE = "mtp.safetensors"  # a name that mlx-lm does not read
# Model types of tiny targets that may carry a head, and the changes of their tiny config that their heads need.
MTP_TARGETS: dict[str, dict[str, Any]] = {
    "deepseek_v3": {"seed": 2},
    "glm4_moe": {},
    "glm4_moe_lite": {"seed": 3},
    "glm_moe_dsa": {"seed": 3},
    "qwen3_5": {"seed": 1},
    "qwen3_5_moe": {"seed": 1},
    "qwen3_next": {"seed": 1},
}


def tiny_mtp(folder: Path, target: Path, seed: int = 9, silent: tuple[str, ...] = (), **changes: Any) -> Path:
    """Write a random head for a tiny target, into its own folder or one that holds nothing else of the model.

    silent: ends of names whose tensors are zeros. changes: tensors by their names without the prefix, or fields of the
    config.
    """
    config = _config(target)
    family, language = FAMILIES[str(config["model_type"])], text_config(config)
    layout = layout_of("", family, language["num_hidden_layers"], ())
    shapes = _shapes(language, family)
    centre = centre_of_norms(target)
    keys = mx.random.split(mx.random.key(seed), len(shapes))
    tensors = {name: _random(name, shape, centre, key) for (name, shape), key in zip(shapes.items(), keys, strict=True)}
    tensors |= {name: mx.zeros_like(array) for name, array in tensors.items() if name.endswith(silent)}
    tensors |= {name: value for name, value in changes.items() if isinstance(value, mx.array)}
    folder.mkdir(parents=True, exist_ok=True)
    named = {layout.prefix + name: array for name, array in tensors.items()}
    mx.save_safetensors(str(folder / FILE), named, {"format": "pt"})
    fields = {family.depth_field: 1} | {name: value for name, value in changes.items() if name not in tensors}
    inner = {"text_config": config["text_config"] | fields} if "text_config" in config else {}
    write_json(folder / "config.json", config | fields | inner)
    return folder


def centre_of_norms(target: Path) -> float:
    """What a norm that changes nothing is published as: by some as the difference to 1."""
    return 0.0 if FAMILIES[str(_config(target)["model_type"])].is_zero_centred else 1.0


def published_names(target: Path) -> dict[str, str]:
    """Our names of the head's tensors outside of its layer to the published ones, without the prefix."""
    config = _config(target)
    return dict(layout_of("", FAMILIES[str(config["model_type"])], 0, ()).outer)


def _config(target: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((target / "config.json").read_text(encoding="utf-8"))
    return config


def _shapes(config: dict[str, Any], family: MtpFamily) -> dict[str, Shape]:
    """By names without the prefix; one tensor for each expert, as most checkpoints have it."""
    has_experts = bool(config.get("n_routed_experts") or config.get("num_experts"))
    layout = layout_of("", family, 0, ())
    layer = layer_shapes(family, config, {"mlp.gate.weight"} if has_experts else ())
    outer = {layout.outer[name]: shape for name, shape in outer_shapes(config).items()}
    return outer | {layout.layer.format(0) + name: shape for name, shape in layer.items()}


def _random(name: str, shape: Shape, centre: float, key: mx.array) -> mx.array:
    noise = mx.random.normal(shape, key=key)
    if len(shape) == 1:
        return 0.1 * noise + (centre if "norm" in name and name.endswith("weight") else 0)
    return 0.4 * noise
