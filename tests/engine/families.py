"""Tiny models of every family whose state the engine rewinds, and what each of them stands for."""

from __future__ import annotations

from typing import Any

# Model type to changes of its tiny config. Seeds are such that no text ends early; windows are shorter than the texts.
FAMILIES: dict[str, dict[str, Any]] = {
    "llama": {},  # full attention
    "qwen3": {},  # with normalised queries and keys
    "qwen3_moe": {"seed": 2},  # experts
}
