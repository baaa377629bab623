"""Tiny models of every family whose state the engine rewinds, and what each of them stands for."""

from __future__ import annotations

from typing import Any

from engine.models.proven import PROVEN

# Model type to changes of its tiny config. Seeds are such that no text ends early; windows are shorter than the texts.
FAMILIES: dict[str, dict[str, Any]] = {
    "deepseek_v3": {"seed": 2},  # latent attention
    "falcon_h1": {"seed": 1},  # SSM and attention in one layer
    "gemma3_text": {},  # windows by its type
    "gemma4_text": {},  # windows, and layers that share the keys and values of others
    "gemma4_unified": {  # windows, and full layers whose values are their keys
        "num_kv_shared_layers": 0,
        "hidden_size_per_layer_input": 0,
        "attention_k_eq_v": True,
        "num_global_key_value_heads": 1,
    },
    "glm4_moe_lite": {"seed": 3},  # latent attention
    "glm_moe_dsa": {"seed": 3},  # latent attention to a few tokens that it picks
    "gpt_oss": {},  # windows, attention sinks
    "lfm2": {},  # short convolutions beside attention
    "llama": {},  # full attention
    "mamba2": {},  # SSM alone
    "mistral": {"sliding_window": 16, "layer_types": ["sliding_attention", "full_attention"]},  # windows by its config
    "qwen3": {},  # with normalised queries and keys
    "qwen3_5": {"seed": 1},  # gated delta beside attention
    "qwen3_moe": {"seed": 2},  # experts
    "qwen3_next": {"seed": 1},  # gated delta and experts
    "rwkv7": {},  # two mixers a layer
}

# Proven types with recurrent state in some layers or all of them.
RECURRENT = frozenset(model_type for model_type, kinds in PROVEN.items() if "linear_attention" in kinds)
