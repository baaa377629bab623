"""Goldens in the layouts of mlx-vlm's folders of a head alone."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx

from engine.models.drafting.mtp_families import FAMILIES
from tests.engine.drafters.mtp.goldens import Golden

SIDECARS = {
    "qwen3_5": "qwen3_5_mtp",
    "qwen3_5_moe": "qwen3_5_mtp",
    "qwen3_next": "qwen3_5_mtp",
    "glm_moe_dsa": "glm_moe_dsa_mtp",
    "glm4_moe_lite": "glm4_moe_lite_mtp",
}
_PLACES = {"glm_moe_dsa_mtp": ("mtp.", "mtp."), "glm4_moe_lite_mtp": ("model.", "model.mtp_block.")}


def sidecar(golden: Golden) -> Golden:
    """Experts stacked, the latent projection split, norms as what they multiply by."""
    model_type = str(golden.config["model_type"])
    named = "qwen" if FAMILIES[model_type].is_zero_centred else SIDECARS[model_type]
    tensors = _stacked(golden, {_place(name, named): array for name, array in golden.tensors.items()})
    if named == "qwen":
        tensors = {name: array + 1 if "norm" in name else array for name, array in tensors.items()}
    tensors = _split(golden, tensors)
    config = {"model_type": SIDECARS[model_type], "block_size": 3, "text_config": golden.config}
    return replace(golden, tensors=tensors, config=config)


def _place(name: str, named: str) -> str:
    if named == "qwen":
        return name.removeprefix("mtp.")
    outer, layer = _PLACES[named]
    own = name.removeprefix("model.layers.2.").replace("shared_head.norm", "shared_head_norm")
    is_outer = own.startswith(("enorm", "hnorm", "eh_proj", "shared_head_norm"))
    return (outer if is_outer else layer) + own


def _stacked(golden: Golden, tensors: dict[str, mx.array]) -> dict[str, mx.array]:
    count = golden.config.get("n_routed_experts", golden.config.get("num_experts", 0))
    kept = {name: array for name, array in tensors.items() if ".experts." not in name}
    for name, array in tensors.items():
        if name.endswith(".experts.gate_up_proj"):
            parts = zip(("gate", "up"), mx.split(array, 2, axis=1), strict=True)
            kept |= {
                name.replace("experts.gate_up_proj", f"switch_mlp.{part}_proj.weight"): half for part, half in parts
            }
        elif name.endswith(".experts.down_proj"):
            kept[name.replace("experts.down_proj", "switch_mlp.down_proj.weight")] = array
        elif ".experts.0." in name:
            experts = [tensors[name.replace(".experts.0.", f".experts.{expert}.")] for expert in range(count)]
            kept[name.replace("experts.0", "switch_mlp")] = mx.stack(experts)
    return kept


def _split(golden: Golden, tensors: dict[str, mx.array]) -> dict[str, mx.array]:
    pair = next((name for name in tensors if name.endswith("kv_b_proj.weight")), None)
    if pair is None:
        return tensors
    config = golden.config
    heads = tensors[pair].reshape(config["num_attention_heads"], -1, config["kv_lora_rank"])
    kept = {name: array for name, array in tensors.items() if name != pair}
    kept[pair.replace("kv_b_proj", "embed_q")] = heads[:, : config["qk_nope_head_dim"]].swapaxes(1, 2)
    kept[pair.replace("kv_b_proj", "unembed_out")] = heads[:, config["qk_nope_head_dim"] :]
    return kept
