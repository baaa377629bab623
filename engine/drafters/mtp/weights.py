"""A native MTP head's published tensors as its module has them.

The same work that mlx-lm does for the target's layers: experts stacked, the latent projection split for keys and
values, 8-bit floats with a factor a block turned into plain ones, norms that are published as their difference to 1
shifted; once, and here alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import mlx.core as mx

from engine.drafters.mtp.model import MtpModel
from engine.drafters.weights import fill, read_arrays
from engine.messages import Progress
from engine.models.drafting.fields import required_number
from engine.models.drafting.files import DrafterFiles
from engine.models.drafting.mtp import FP8, FP8_BLOCK, FP8_SCALE, MtpSpec
from engine.models.drafting.mtp_families import JOINED, LATENT_PAIR, SPLIT_KEYS, SPLIT_VALUES, STACKED

_EXPERT = re.compile(r"(.*)mlp\.experts\.(\d+)\.(\w+)\.(weight|scales|biases)")
_CORRECTION = "e_score_correction_bias"

Arrays = dict[str, mx.array]
Names = dict[str, str]


def fill_head(module: MtpModel, spec: MtpSpec, files: DrafterFiles, dtype: mx.Dtype) -> Iterator[Progress]:
    """Load a head: yields Progress (request_id 0); raises DrafterError where tensors are not those of the module."""
    arrays, names = read_head(spec, files, dtype)
    yield from fill(module, arrays, files, names, dtype)
    exact = [(name, array.astype(mx.float32)) for name, array in arrays.items() if name.endswith(_CORRECTION)]
    module.load_weights(exact, strict=False)  # experts are chosen by it in fp32


def read_head(spec: MtpSpec, files: DrafterFiles, dtype: mx.Dtype) -> tuple[Arrays, Names]:
    """Lazy arrays by the module's parameters, and for each the name of a tensor that it comes from."""
    arrays, names = read_arrays(files, spec.names), dict(spec.names)
    _widen(arrays, spec, files, dtype)
    if spec.is_zero_centred:
        arrays = {name: array + 1 if _is_norm(name, array) else array for name, array in arrays.items()}
    _stack_experts(arrays, names)
    for index in range(spec.num_layers):
        _split_joined(arrays, names, f"layers.{index}.")
        _split_latent(arrays, names, f"layers.{index}.self_attn.", spec, files)
    return arrays, names


def _is_norm(name: str, array: mx.array) -> bool:
    return "norm" in name and array.ndim == 1


def _widen(arrays: Arrays, spec: MtpSpec, files: DrafterFiles, dtype: mx.Dtype) -> None:
    """Matrices of 8-bit floats in `dtype`."""
    packed = {own: name for own, name in spec.names.items() if files.tensors[name].dtype == FP8}
    if not packed:
        return
    scales = read_arrays(files, {own: name + FP8_SCALE for own, name in packed.items()})
    for own in packed:
        arrays[own] = from_blocks(arrays[own], scales[own], dtype)


def from_blocks(packed: mx.array, scales: mx.array, dtype: mx.Dtype) -> mx.array:
    """[rows, columns] 8-bit floats times the factor of their block, [blocks of rows, blocks of columns]."""
    rows, columns = packed.shape
    factors = mx.repeat(mx.repeat(scales.astype(mx.float32), FP8_BLOCK, axis=0), FP8_BLOCK, axis=1)
    return (mx.from_fp8(packed, dtype=mx.float32) * factors[:rows, :columns]).astype(dtype)


def _stack_experts(arrays: Arrays, names: Names) -> None:
    """One array for all experts of a projection; they are numbered from 0 without a gap."""
    groups: dict[str, dict[int, str]] = {}
    for name in list(arrays):
        if match := _EXPERT.fullmatch(name):
            groups.setdefault(f"{match[1]}{STACKED}.{match[3]}.{match[4]}", {})[int(match[2])] = name
    for stacked, experts in groups.items():
        first = experts[0]
        arrays[stacked] = mx.stack([arrays.pop(experts[index]) for index in range(len(experts))])
        if first in names:
            names[stacked] = names[first]


def _split_joined(arrays: Arrays, names: Names, layer: str) -> None:
    """Gate and up projections that lie in one tensor, behind one another."""
    if f"{layer}{JOINED}" not in arrays:
        return
    gates, ups = mx.split(arrays.pop(f"{layer}{JOINED}"), 2, axis=1)
    parts = {"gate_proj": gates, "up_proj": ups, "down_proj": arrays.pop(f"{layer}mlp.experts.down_proj")}
    for projection, array in parts.items():
        arrays[f"{layer}{STACKED}.{projection}.weight"] = array
        names[f"{layer}{STACKED}.{projection}.weight"] = names[f"{layer}{JOINED}"]


def _split_latent(arrays: Arrays, names: Names, attention: str, spec: MtpSpec, files: DrafterFiles) -> None:
    """What makes keys of latents is applied to queries instead, what makes values to the output."""
    pair = f"{attention}{LATENT_PAIR.rpartition('.')[2]}"
    if f"{pair}.weight" not in arrays:
        return
    weight = arrays.pop(f"{pair}.weight")
    if packing := files.packing(names[f"{pair}.weight"].removesuffix(".weight")):
        scales, biases = arrays.pop(f"{pair}.scales"), arrays.pop(f"{pair}.biases", None)
        weight = mx.dequantize(weight, scales, biases, packing.group_size, packing.bits, packing.mode)
    num_plain = required_number(spec.config, "qk_nope_head_dim")
    heads = weight.reshape(required_number(spec.config, "num_attention_heads"), -1, weight.shape[-1])
    for own, part in ((SPLIT_KEYS, heads[:, :num_plain].swapaxes(1, 2)), (SPLIT_VALUES, heads[:, num_plain:])):
        name = f"{attention}{own.rpartition('.')[2]}.weight"
        arrays[name], names[name] = mx.contiguous(part), names[f"{pair}.weight"]
