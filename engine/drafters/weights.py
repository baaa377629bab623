"""A drafter's weights from its files into a module: packed or plain, checked, in slices."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten, tree_reduce

from engine.drafters.base import TargetPorts, to_lists
from engine.messages import Progress
from engine.models.drafting.files import DrafterFiles
from engine.models.drafting.spec import OFFSETS, DrafterSpec
from engine.models.errors import DrafterError
from engine.models.fingerprint import Content, fingerprint
from engine.models.load import cast_floats
from engine.prompt_cache.entries import Stream
from engine.prompt_cache.identity import companion_stream

_SLICE_SECONDS = 0.1
_PARTS = ("weight", "scales", "biases")


def read_arrays(files: DrafterFiles, names: Mapping[str, str]) -> dict[str, mx.array]:
    """Lazy arrays by our parameter names; `names` gives each one's name in the files.

    The scales and biases of a packed matrix come with it.
    """
    loaded = {path: _load(path) for path in {files.where[name] for name in names.values()}}
    arrays = {}
    for own, published in names.items():
        arrays[own] = loaded[files.where[published]][published]
        for part in _PARTS[1:]:
            beside = f"{published.removesuffix('.weight')}.{part}"
            if published.endswith(".weight") and beside in files.where:
                arrays[f"{own.removesuffix('.weight')}.{part}"] = loaded[files.where[beside]][beside]
    return arrays


def read_target_ids(files: DrafterFiles, spec: DrafterSpec) -> list[int] | None:
    """The target's id of each drafted token, which a tensor tells by what it is above the token's own; None for all.

    Raises DrafterError where that leads outside of the target's vocabulary, or to other tokens though all are drafted.
    """
    if not spec.draft_vocab_size and OFFSETS not in files.tensors:
        return None
    offsets = to_lists(read_arrays(files, {OFFSETS: OFFSETS})[OFFSETS])
    if not spec.draft_vocab_size and any(offsets):
        raise DrafterError(
            f"the drafter in {str(files.folder)!r} is damaged: it drafts all tokens, and its tensor {OFFSETS!r} leads "
            "to others; download it again"
        )
    ids = [place + offset for place, offset in enumerate(offsets)]
    wrong = [token_id for token_id in ids if type(token_id) is not int or not 0 <= token_id < spec.vocab_size]
    if wrong:
        raise DrafterError(
            f"the drafter in {str(files.folder)!r} is damaged: its tensor {OFFSETS!r} names token {wrong[0]:,} of a "
            f"target that has {spec.vocab_size:,}; download it again"
        )
    return ids if spec.draft_vocab_size else None


def fill(
    module: nn.Module, arrays: Mapping[str, mx.array], files: DrafterFiles, names: Mapping[str, str], dtype: mx.Dtype
) -> Iterator[Progress]:
    """Put arrays into a module whose parameters have their names: yields Progress (request_id 0) as they are read.

    Layers whose scales are among them become packed ones; every other floating array is cast to `dtype`. `names` is as
    in `read_arrays`. Raises DrafterError where names or shapes differ from the module's.
    """
    _pack_layers(module, arrays, files, names)
    arrays = {name: cast_floats(array, dtype) for name, array in arrays.items()}
    try:
        module.load_weights(list(arrays.items()), strict=True)
    except ValueError as error:
        raise DrafterError(
            f"the drafter in {str(files.folder)!r} does not have the tensors of its kind: {error}; download it again"
        ) from error
    module.eval()
    yield from _evaluate(module)


def stream_of_files(files: DrafterFiles, name: str, dtype: mx.Dtype) -> Stream:
    """What its rows' states are known by, apart from the target's part in them."""
    content = Content(fingerprint(files.folder, sorted(set(files.where.values()))), str(dtype))
    return companion_stream(name, content)


def num_bytes_of(module: nn.Module) -> int:
    """Of all its parameters."""
    return tree_reduce(lambda total, array: total + array.nbytes, module.parameters(), 0)


def dtype_of(target: TargetPorts) -> mx.Dtype:
    """What a target's hidden states are in, and what its drafters compute in."""
    return target.embed(mx.zeros((1,), dtype=mx.int32)).dtype


def _load(path: object) -> dict[str, mx.array]:
    loaded = mx.load(str(path))
    assert isinstance(loaded, dict)
    return loaded


def _pack_layers(
    module: nn.Module, arrays: Mapping[str, mx.array], files: DrafterFiles, names: Mapping[str, str]
) -> None:
    def packing(path: str, layer: nn.Module) -> bool | dict[str, object]:
        if f"{path}.scales" not in arrays or not hasattr(layer, "to_quantized"):
            return False
        found = files.packing(names[f"{path}.weight"].removesuffix(".weight"))
        assert found is not None
        return {"group_size": found.group_size, "bits": found.bits, "mode": found.mode}

    if any(name.endswith(".scales") for name in arrays):
        nn.quantize(module, class_predicate=packing)


def _evaluate(module: nn.Module) -> Iterator[Progress]:
    arrays = list(dict(tree_flatten(module.parameters())).values())
    total = sum(array.nbytes for array in arrays)
    done, started = 0, time.monotonic()
    yield Progress(0, "loading", 0, total)
    for array in arrays:
        mx.eval(array)
        done += array.nbytes
        if time.monotonic() - started >= _SLICE_SECONDS:
            yield Progress(0, "loading", done, total)
            started = time.monotonic()
    mx.clear_cache()
