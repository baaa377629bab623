"""A drafter's tensors against what its kind needs, by headers alone. No MLX."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from engine.models.architecture import find_section
from engine.models.drafting.files import DrafterFiles, Packing
from engine.models.drafting.spec import OFFSETS
from engine.models.errors import DrafterError
from engine.models.safetensors_file import TensorInfo

Shape = tuple[int, ...]

FLOATS = frozenset(("F64", "F32", "F16", "BF16"))  # that weights are computed in
_NAMES = {"F64": "fp64", "F32": "fp32", "F16": "fp16", "BF16": "bf16"}
_INTEGERS = frozenset(f"{sign}{bits}" for sign in "IU" for bits in (8, 16, 32, 64))
_PACKED = ("scales", "biases")


def check_tensors(
    files: DrafterFiles,
    expected: Mapping[str, Shape],
    ignored: Sequence[str] = (),
    integers: Collection[str] = (OFFSETS,),
) -> None:
    """Raise DrafterError naming the tensor that is missing, too many, or has another shape or type than it must.

    expected: dense shape of each tensor by its published name; one that MLX has packed may stand for it. `ignored`:
    patterns of names that may be there and are not read. `integers`: names of those that hold ids, not weights.
    """
    _check_names(files, expected, [re.compile(pattern) for pattern in ignored])
    for name, shape in expected.items():
        _check_shape(files, name, shape)
    _check_types(files, expected, integers)


def damaged(files: DrafterFiles, fault: str) -> DrafterError:
    """What to raise where a tensor is not what it is in whole files of a kind."""
    return DrafterError(
        f"the drafter in {str(files.folder)!r} is damaged or not of its kind: {fault}; "
        "download it again, or choose another drafter"
    )


def quantisation_of(files: DrafterFiles, names: Iterable[str]) -> str:
    """What most of these tensors' bytes are kept in: "4-bit", "bf16", …"""
    totals: dict[str, int] = {}
    for name in names:
        packing = files.packing(name.removesuffix(".weight"))
        label = f"{packing.bits}-bit" if packing else _NAMES.get(files.tensors[name].dtype, files.tensors[name].dtype)
        totals[label] = totals.get(label, 0) + files.tensors[name].num_bytes
    return max(totals, key=lambda label: totals[label], default="")


def num_bytes_of(files: DrafterFiles, names: Iterable[str]) -> int:
    """Bytes of some tensors, with what belongs to packed ones."""
    names = list(names)
    extra = [f"{name.removesuffix('.weight')}.{part}" for name in names for part in _PACKED]
    return sum(files.tensors[name].num_bytes for name in [*names, *extra] if name in files.tensors)


def _check_names(files: DrafterFiles, expected: Mapping[str, Shape], ignored: Sequence[re.Pattern[str]]) -> None:
    """Files with tensors that nothing is known of are whole all the same: to download them again would be no help."""
    unknown = files.tensors.keys() - expected.keys() - _packed_names(files, expected)
    extra = sorted(name for name in unknown if not any(pattern.fullmatch(name) for pattern in ignored))
    missing = next(
        (f"the tensor {n!r} {list(shape)} is missing" for n, shape in expected.items() if n not in files.tensors), ""
    )
    if missing and not extra:
        raise damaged(files, missing)
    if extra:
        method = find_section(files.config, "quantization_config").get("quant_method")
        found = [f"nothing is known of its tensor {extra[0]!r} {list(files.tensors[extra[0]].shape)}"]
        found += [missing] * bool(missing) + [f"its weights are packed by {method!r}"] * bool(method)
        raise DrafterError(
            f"the drafter in {str(files.folder)!r} is of a format that is not read here: {', and '.join(found)}; "
            "choose another drafter, or a conversion of this one"
        )


def _packed_names(files: DrafterFiles, expected: Mapping[str, Shape]) -> set[str]:
    modules = [name.removesuffix(".weight") for name in expected if name.endswith(".weight")]
    return {f"{module}.{part}" for module in modules if f"{module}.scales" in files.tensors for part in _PACKED}


def _check_shape(files: DrafterFiles, name: str, shape: Shape) -> None:
    found = files.tensors[name]
    packing = files.packing(name.removesuffix(".weight")) if name.endswith(".weight") else None
    if packing:
        _check_packed(files, name, shape, packing)
    elif found.shape != shape:
        raise damaged(
            files, f"the tensor {name!r} is {list(found.shape)} and must be {list(shape)}{_hint(found, shape)}"
        )


def _check_packed(files: DrafterFiles, name: str, shape: Shape, packing: Packing) -> None:
    """A packed matrix has its last axis in words of 32 bits, and a scale for each group of it."""
    module = name.removesuffix(".weight")
    *outer, inner = shape
    needed = {name: (*outer, inner * packing.bits // 32), f"{module}.scales": (*outer, inner // packing.group_size)}
    if packing.mode == "affine":
        needed[f"{module}.biases"] = needed[f"{module}.scales"]
    for part, part_shape in needed.items():
        found = files.tensors.get(part)
        if found is None:
            raise damaged(files, f"the tensor {part!r} {list(part_shape)} is missing")
        if found.shape != part_shape:
            raise damaged(
                files,
                f"the tensor {part!r} is {list(found.shape)} and must be {list(part_shape)} for {packing.bits} bits in "
                f"groups of {packing.group_size}",
            )


def _hint(found: TensorInfo, shape: Shape) -> str:
    if len(shape) == 2 and found.shape == shape[::-1]:
        return ", it is transposed"
    if len(found.shape) == len(shape) and any(2 * have == need for have, need in zip(found.shape, shape, strict=True)):
        return ", half of it"
    return ""


def _check_types(files: DrafterFiles, expected: Mapping[str, Shape], integers: Collection[str]) -> None:
    """Matrices that are not packed are of one floating type; norms and scalars may be finer."""
    first = ""
    for name, shape in expected.items():
        packing = files.packing(name.removesuffix(".weight")) if name.endswith(".weight") else None
        if packing:
            _check_packed_types(files, name.removesuffix(".weight"), packing)
            continue
        _check_type(files, name, _INTEGERS if name in integers else FLOATS)
        if len(shape) < 2 or "norm" in name:
            continue
        first = first or name
        if files.tensors[name].dtype != files.tensors[first].dtype:
            holds = f"holds {files.tensors[name].dtype} and {first!r} holds {files.tensors[first].dtype}"
            raise damaged(files, f"the tensor {name!r} {holds}")


def _check_packed_types(files: DrafterFiles, module: str, packing: Packing) -> None:
    """Scales of affine groups are numbers that are computed with, all others are bytes."""
    _check_type(files, f"{module}.weight", {"U32"})
    is_affine = packing.mode == "affine"
    for part in _PACKED if is_affine else ("scales",):
        _check_type(files, f"{module}.{part}", FLOATS if is_affine else {"U8"})


def _check_type(files: DrafterFiles, name: str, known: Collection[str]) -> None:
    dtype = files.tensors[name].dtype
    if dtype not in known:
        raise damaged(files, f"the tensor {name!r} holds {dtype} and must hold {', '.join(sorted(known))}")
