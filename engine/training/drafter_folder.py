"""A drafter's folder as it is published: config, weights, packed or not, and the card that says how it was made."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

CONFIG, WEIGHTS, CARD = "config.json", "model.safetensors", "README.md"


@dataclass(frozen=True, slots=True)
class Packed:
    """How matrices are packed: `bits` a number, a scale and a bias for each group."""

    bits: int
    group_size: int = 64


def write_drafter(
    folder: Path,
    config: Mapping[str, Any],
    arrays: Mapping[str, mx.array],
    packed: Packed | None = None,
    card: str = "",
) -> None:
    """Write a drafter, whole or not at all; raises OSError where the disk refuses.

    Arrays have their published names. Floating ones become bf16, and matrices are packed where `packed` says so.
    """
    folder.mkdir(parents=True, exist_ok=True)
    section = {"quantization": {"group_size": packed.group_size, "bits": packed.bits}} if packed else {}
    weights: dict[str, mx.array] = {}
    for name, array in arrays.items():
        weights |= (
            _packed(name, array, packed) if packed and _can_be_packed(name, array, packed) else {name: _plain(array)}
        )
    mx.eval(weights)
    temporary = folder / f"part-{WEIGHTS}"
    try:
        mx.save_safetensors(str(temporary), weights, {"format": "mlx"})
        os.replace(temporary, folder / WEIGHTS)
    finally:
        temporary.unlink(missing_ok=True)
    write_text(folder / CONFIG, json.dumps({**config, **section}, indent=2) + "\n")
    if card:
        write_text(folder / CARD, card)


def write_text(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    temporary = path.with_name(f"part-{path.name}")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _can_be_packed(name: str, array: mx.array, packed: Packed) -> bool:
    is_matrix = array.ndim == 2 and name.endswith(".weight") and mx.issubdtype(array.dtype, mx.floating)
    return is_matrix and array.shape[-1] % packed.group_size == 0 and array.shape[0] > 1


def _packed(name: str, array: mx.array, packed: Packed) -> dict[str, mx.array]:
    weight, scales, biases = mx.quantize(array.astype(mx.bfloat16), packed.group_size, packed.bits)
    module = name.removesuffix(".weight")
    return {name: weight, f"{module}.scales": scales, f"{module}.biases": biases}


def _plain(array: mx.array) -> mx.array:
    return array.astype(mx.bfloat16) if mx.issubdtype(array.dtype, mx.floating) else array
