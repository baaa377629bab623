"""A drafter's folder by its headers alone: config and tensor tables, no weights. No MLX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.models.drafting.fields import Fields
from engine.models.errors import DrafterError, ModelError
from engine.models.locate import model_name
from engine.models.safetensors_file import TensorInfo, read_tensor_table
from engine.models.tokenizer_files import read_json

CONFIG = "config.json"
ALGORITHMS = ("eagle3", "dflash", "dspark")  # of speculators
_FOREIGN = (".bin", ".pt", ".pth", ".gguf", ".npz")
_OTHERS = ("consolidated", ".")  # Mistral's own copy of all weights, and what systems hide beside files
_PACKINGS = {  # group sizes and bits of MLX's modes, the usual ones first
    "affine": ((64, 32, 128), (4, 2, 3, 5, 6, 8)),
    "mxfp4": ((32,), (4,)),
    "mxfp8": ((32,), (8,)),
    "nvfp4": ((16,), (4,)),
}


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
        return model_name(self.folder)

    @property
    def algorithm(self) -> str:
        """What speculators calls the drafter, which is what decides how its files are read; "" where another wrote it.

        Raises DrafterError for one that is not known, and may look like one that is.
        """
        config = Fields(self.config)
        name = "speculators_model_type"
        if not config.has(name):
            config, name = config.section("speculators_config"), "algorithm"
        return config.choice(name, ALGORITHMS, "")

    @property
    def num_bytes(self) -> int:
        return sum(info.num_bytes for info in self.tensors.values())

    def with_prefix(self, prefix: str) -> dict[str, TensorInfo]:
        """The tensors whose names begin so, by the rest of their names."""
        return {name.removeprefix(prefix): info for name, info in self.tensors.items() if name.startswith(prefix)}

    def packing(self, module: str) -> Packing | None:
        """How a module's matrix is packed, by the module's name in the file; None where it is not.

        Raises DrafterError where the config tells of a packing that MLX has not.
        """
        if f"{module}.scales" not in self.tensors:
            return None
        return _read_packing(Fields(self.config), module)


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


def _read_packing(config: Fields, module: str) -> Packing:
    """What the config says of a packed module, which may have a section of its own."""
    general = config.section("quantization" if config.has("quantization") else "quantization_config")
    own = general if isinstance(general.values.get(module), bool) else general.section(module)
    own = own if own.values else general
    mode = own.choice("mode", tuple(_PACKINGS), "affine")
    group_sizes, bits = _PACKINGS[mode]
    return Packing(_known_number(own, "group_size", group_sizes), _known_number(own, "bits", bits), mode)


def _known_number(fields: Fields, name: str, known: Sequence[int]) -> int:
    value = fields.optional_number(name, known[0])
    if value not in known:
        raise fields.fault(name, f"one of: {', '.join(map(str, known))}")
    return value


def _weight_files(folder: Path) -> list[Path]:
    """Every safetensors file beside the config, those that a model is loaded from first.

    MTP sidecars of some conversions have names of their own; what another file repeats of the model is not read.
    """
    own = (path for path in folder.glob("*.safetensors") if not path.name.startswith(_OTHERS))
    found = sorted(own, key=lambda path: (not _is_model_file(path), path.name))
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
