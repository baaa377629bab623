"""The weight files of a model folder: which there are, whether all are whole, how much they hold."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.models.architecture import find_number, find_section, num_layers, text_config
from engine.models.errors import ModelError
from engine.models.safetensors_file import TensorInfo, read_tensor_table
from engine.models.tokenizer_files import read_json

_FLOAT_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
_FLOAT_NAMES = {"F64": "fp64", "F32": "fp32", "F16": "fp16", "BF16": "bf16"}
_USUAL_GROUP_SIZE = 64  # mlx-lm's
_NUMBERED = re.compile(r"(model.*)-(\d+)-of-(\d+)\.safetensors")
_LAYER = re.compile(r"(?:language_model\.)?(?:model\.)?(?:language_model\.)?layers\.(\d{1,9})\.")
_MTP = re.compile(r"(?:model\.)?(?:language_model\.)?(?:model\.)?mtp(?:_layers)?\.")
_INDEX = "model.safetensors.index.json"


@dataclass(frozen=True, slots=True)
class Weights:
    """What the headers of all weight files tell together."""

    num_bytes: int
    num_parameters: int  # weights a quantised tensor stands for, not its packed numbers
    float_name: str  # the type that most bytes of floating tensors have
    float_bytes: int  # bytes of an element of the widest floating type: what the model computes in
    is_quantised: bool


def read_weights(folder: Path, config: dict[str, Any]) -> Weights:
    """Check every weight file and add up what is loaded; ModelError naming the file that is missing or damaged."""
    tensors: dict[str, TensorInfo] = {}
    for path in weight_files(folder):
        tensors |= read_tensor_table(path)
    end = num_layers(text_config(config))
    tensors = {name: info for name, info in tensors.items() if not is_mtp(name, end)}
    scaled = {name.removesuffix(".scales") for name in tensors if name.endswith(".scales")}
    quantisation = find_section(config, "quantization")
    parameters = sum(_num_parameters(name, info, scaled, quantisation) for name, info in tensors.items())
    bytes_by_type = dict.fromkeys(_FLOAT_BYTES, 0)
    for info in tensors.values():
        if info.dtype in bytes_by_type:
            bytes_by_type[info.dtype] += info.num_bytes
    usual = max(bytes_by_type, key=bytes_by_type.__getitem__)
    widest = max((_FLOAT_BYTES[name] for name, size in bytes_by_type.items() if size), default=2)
    num_bytes = sum(info.num_bytes for info in tensors.values())
    return Weights(num_bytes, parameters, _FLOAT_NAMES[usual], widest, bool(scaled))


def is_mtp(name: str, num_layers: int) -> bool:
    """Whether a tensor is a native MTP head's, which the model itself is loaded without; `num_layers` 0: not known."""
    layer = _LAYER.match(name)
    return bool(_MTP.match(name) or (num_layers and layer and int(layer[1]) >= num_layers))


def _num_parameters(name: str, info: TensorInfo, scaled: set[str], quantisation: dict[str, Any]) -> int:
    module, _, kind = name.rpartition(".")
    if module not in scaled:
        return info.size
    if kind != "scales":
        return 0
    settings = find_section(quantisation, module) or quantisation
    return info.size * find_number(settings, "group_size", default=_USUAL_GROUP_SIZE)


def weight_files(folder: Path) -> list[Path]:
    """The files that mlx-lm reads, after checking that none that belongs to them is missing."""
    found = {name for name in os.listdir(folder) if re.fullmatch(r"model.*\.safetensors", name)}
    needed = _named_by_index(folder) | _numbered_with(found)
    for name in sorted(found | needed):
        _check_present(folder / name, name in needed)
    if not found:
        raise ModelError(_no_weights(folder))
    return [folder / name for name in sorted(found)]


def _named_by_index(folder: Path) -> set[str]:
    if not (folder / _INDEX).is_symlink() and not (folder / _INDEX).exists():
        return set()
    shards = read_json(folder / _INDEX).get("weight_map")
    if not isinstance(shards, dict) or not all(isinstance(name, str) for name in shards.values()):
        raise ModelError(f"{_INDEX} in {str(folder)!r} names no files; download the model again")
    return set(shards.values())


def _numbered_with(found: set[str]) -> set[str]:
    """All shards of the sets that found files belong to by their names."""
    needed = set()
    for match in filter(None, map(_NUMBERED.fullmatch, found)):
        width, total = len(match[2]), int(match[3])
        if total < 10_000:
            needed |= {f"{match[1]}-{index:0{width}}-of-{match[3]}.safetensors" for index in range(1, total + 1)}
    return needed


def _check_present(path: Path, is_named: bool) -> None:
    if path.is_file():
        return
    if path.is_symlink():
        raise ModelError(
            f"{path.name} in {str(path.parent)!r} is a link to a file that is not there; download the model again"
        )
    if is_named:
        raise ModelError(f"the weight file {path.name} is missing in {str(path.parent)!r}; download the model again")
    raise ModelError(f"{path.name} in {str(path.parent)!r} is not a file; download the model again")


def _no_weights(folder: Path) -> str:
    others = sorted(path.name for path in folder.iterdir() if path.suffix in (".bin", ".pt", ".pth", ".gguf", ".npz"))
    seen = f" (found {others[0]}, which cannot be loaded from a model folder)" if others else ""
    return f"no weights found in {str(folder)!r}{seen}; model*.safetensors is needed: download the model in MLX format"
