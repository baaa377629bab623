"""A drafter's folder by its headers alone: config and tensor tables, no weights. No MLX."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.models.architecture import find_number, find_section
from engine.models.errors import DrafterError, ModelError
from engine.models.safetensors_file import TensorInfo, read_tensor_table
from engine.models.tokenizer_files import read_json

CONFIG = "config.json"
_FOREIGN = (".bin", ".pt", ".pth", ".gguf", ".npz")
_USUAL_GROUP_SIZE, _USUAL_BITS = 64, 4  # mlx-lm's


@dataclass(frozen=True, slots=True)
class Packing:
    """How MLX packed a matrix: `bits` a number, one scale (and bias) for `group_size` of them."""

    group_size: int
    bits: int
    mode: str = "affine"


@dataclass(frozen=True, slots=True)
class DrafterFiles:
    """What the files of a folder say; a folder of a whole model that carries a drafter is read in the same way."""

    folder: Path
    config: dict[str, Any]
    tensors: dict[str, TensorInfo]
    where: dict[str, Path]  # the file that holds each tensor

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def num_bytes(self) -> int:
        return sum(info.num_bytes for info in self.tensors.values())

    def with_prefix(self, prefix: str) -> dict[str, TensorInfo]:
        """The tensors whose names begin so, by the rest of their names."""
        return {name.removeprefix(prefix): info for name, info in self.tensors.items() if name.startswith(prefix)}

    def packing(self, module: str) -> Packing | None:
        """How a module's matrix is packed, by the module's name in the file; None where it is not."""
        if f"{module}.scales" not in self.tensors:
            return None
        general = find_section(self.config, "quantization", "quantization_config")
        own = find_section(general, module) or general
        group_size = find_number(own, "group_size", default=_USUAL_GROUP_SIZE)
        return Packing(group_size, find_number(own, "bits", default=_USUAL_BITS), str(own.get("mode", "affine")))


def read_files(folder: Path) -> DrafterFiles:
    """Read config and headers in milliseconds; DrafterError names the file that is missing or damaged.

    A config that asks for Python code of its own is read all the same: none is ever run.
    """
    try:
        config = read_json(folder / CONFIG)
        tables = {path: read_tensor_table(path) for path in _weight_files(folder)}
    except OSError as error:
        raise DrafterError(f"the drafter in {str(folder)!r} cannot be read: {error}") from error
    except ModelError as error:
        raise DrafterError(str(error)) from error
    tensors: dict[str, TensorInfo] = {}
    where: dict[str, Path] = {}
    for path, table in tables.items():
        double = sorted(table.keys() & tensors.keys())
        if double and _is_model_file(path):
            raise DrafterError(
                f"the tensor {double[0]!r} is both in {where[double[0]].name} and in {path.name} of {str(folder)!r}; "
                "remove the file that does not belong there"
            )
        own = table.keys() - tensors.keys()
        tensors |= {name: table[name] for name in own}
        where |= dict.fromkeys(own, path)
    return DrafterFiles(folder, config, tensors, where)


def _weight_files(folder: Path) -> list[Path]:
    """Every safetensors file beside the config, those that a model is loaded from first.

    MTP sidecars of some conversions have names of their own; what another file repeats of the model is not read.
    """
    found = sorted(folder.glob("*.safetensors"), key=lambda path: (not _is_model_file(path), path.name))
    if found:
        return found
    others = sorted(path.name for path in folder.iterdir() if path.suffix in _FOREIGN)
    seen = (
        f" (found {others[0]}, which is not read: choose a conversion of the drafter to safetensors)" if others else ""
    )
    raise DrafterError(
        f"no weights found in {str(folder)!r}{seen}; *.safetensors is needed: download the drafter again"
    )


def _is_model_file(path: Path) -> bool:
    return path.name.startswith("model")
