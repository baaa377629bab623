"""Arrays of a llama-architecture GGUF file under mlx-lm's names, in mlx-lm's row order, never requantised."""

from __future__ import annotations

import mlx.core as mx

from engine.models.gguf_tensors import module_name


def convert_tensors(arrays: dict[str, mx.array], num_heads: int, num_kv_heads: int) -> dict[str, mx.array]:
    """Rename what `mx.load` made of a GGUF file (weight, scales, biases); lazy."""
    converted = {}
    for name, array in arrays.items():
        stem, _, kind = name.rpartition(".")
        module = module_name(stem + ".weight")
        if module.endswith("q_proj"):
            array = restore_rows(array, num_heads)
        elif module.endswith("k_proj"):
            array = restore_rows(array, num_kv_heads)
        converted[f"{module}.{kind}"] = array
    return converted


def restore_rows(array: mx.array, num_heads: int) -> mx.array:
    """Undo llama.cpp's order of q and k rows, which pairs rotated halves; [rows, ·] with rows = heads × width.

    Source: LlamaModel.permute in llama.cpp's convert_hf_to_gguf.py.
    """
    rows, *rest = array.shape
    paired = array.reshape(num_heads, rows // num_heads // 2, 2, *rest)
    return mx.contiguous(paired.swapaxes(1, 2).reshape(array.shape))
