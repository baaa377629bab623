"""Tiny models of every family whose state the engine rewinds, and what each of them stands for."""

from __future__ import annotations

from typing import Any

# Model type to changes of its tiny config. Seeds are such that no text ends early; windows are shorter than the texts.
FAMILIES: dict[str, dict[str, Any]] = {
    "llama": {},  # full attention
    "qwen3": {},  # with normalised queries and keys
    "qwen3_moe": {"seed": 2},  # experts
    "mistral": {"sliding_window": 16, "layer_types": ["sliding_attention", "full_attention"]},  # windows by its config
    "gemma3_text": {},  # windows by its type
    "gemma4_text": {},  # windows, and layers that share the keys and values of others
    "gpt_oss": {},  # windows, attention sinks
    "deepseek_v3": {"seed": 2},  # latent attention
    "glm4_moe_lite": {"seed": 3},  # latent attention
}
