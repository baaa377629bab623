"""Tiny models of every family whose state the engine rewinds, and what each of them stands for."""

from __future__ import annotations

from typing import Any

# Model type to changes of its tiny config. Seeds are such that no text ends early; windows are shorter than the texts.
FAMILIES: dict[str, dict[str, Any]] = {
    "falcon_h1": {"seed": 1},  # SSM and attention in one layer
    "lfm2": {},  # short convolutions beside attention
    "llama": {},  # full attention
    "mamba2": {},  # SSM alone
    "qwen3": {},  # with normalised queries and keys
    "qwen3_5": {"seed": 1},  # gated delta beside attention
    "qwen3_moe": {"seed": 2},  # experts
    "qwen3_next": {"seed": 1},  # gated delta and experts
    "rwkv7": {},  # two mixers a layer
}
