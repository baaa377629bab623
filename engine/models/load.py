"""Weights from a model folder into memory, in slices short enough to cancel between."""

from __future__ import annotations

import glob
import tempfile
import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.switch_layers import QuantizedSwitchLinear, SwitchLinear
from mlx_lm.utils import _get_classes, load_model

from engine.messages import ModelFacts
from engine.models.architecture import language_config, num_layers, text_config
from engine.models.errors import ModelError
from engine.models.facts import read_config
from engine.models.fingerprint import Content, fingerprint
from engine.models.precision import wants_fp32
from engine.models.state_size import state_size
from engine.models.weights import is_mtp, read_weights

_SLICE_SECONDS = 0.1
_DENSE_CLASSES: dict[type[nn.Module], type[nn.Module]] = {
    nn.QuantizedLinear: nn.Linear,
    nn.QuantizedEmbedding: nn.Embedding,
    QuantizedSwitchLinear: SwitchLinear,
}


@dataclass(slots=True)
class LoadedModel:
    """A model in memory; its facts' KV bytes are those of the type that it really runs in."""

    model: nn.Module
    facts: ModelFacts
    content: Content


def choose_fp32(facts: ModelFacts) -> bool:
    """Whether to load fp32 weights: on the CPU with a fast BLAS and enough memory."""
    folder = Path(facts.folder)
    return mx.default_device() == mx.Device(mx.cpu) and wants_fp32(read_weights(folder, read_config(folder)))


def load_steps(facts: ModelFacts, *, as_fp32: bool) -> Generator[tuple[int, int], None, LoadedModel]:
    """Load a model, yielding (bytes read, total) about ten times a second and returning a LoadedModel.

    With `as_fp32` every weight becomes dense fp32. Without it, weights keep their form; on a CPU a quantised model's
    scales, biases and norms become fp32 all the same, since MLX multiplies them many times slower in 16 bits.
    """
    yield 0, facts.weight_bytes
    before = fingerprint(Path(facts.folder))
    model = _build(Path(facts.folder))
    dtype = _target_dtype(model, as_fp32)
    done = 0
    started = time.monotonic()
    pending = model.named_modules()
    while pending:  # popped, so that nothing holds a layer that was replaced
        path, module = pending.pop(0)
        done += sum(array.nbytes for array in _own_arrays(module).values())
        _settle(model, path, module, dtype, as_fp32)
        if time.monotonic() - started >= _SLICE_SECONDS:
            yield min(done, facts.weight_bytes), facts.weight_bytes
            started = time.monotonic()
    _evaluate(model.parameters())
    mx.clear_cache()
    yield facts.weight_bytes, facts.weight_bytes
    return LoadedModel(model, _with_kv_bytes(facts, dtype), _content(facts, dtype, before))


def _build(folder: Path) -> nn.Module:
    """The model with lazy weights, as mlx-lm reads its config; ModelError where the files do not fit together."""
    try:
        with tempfile.TemporaryDirectory() as scratch:
            path = _plain_path(folder, Path(scratch))
            model, _ = load_model(path, lazy=True, strict=True, get_model_classes=_classes)
        model.__class__ = type(model).__base__
        return model
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RuntimeError, OSError, ImportError) as error:
        raise ModelError(
            f"mlx-lm cannot load the model in {str(folder)!r}: {error}; download it again or choose another"
        ) from error


def _classes(config: dict[str, Any]) -> tuple[type[nn.Module], type]:
    """mlx-lm's classes of a model, which leaves alone what a folder holds of MTP heads; some of them do not."""
    base, arguments_class = _get_classes(config)
    end = num_layers(text_config(config))

    def sanitize(model: nn.Module, weights: dict[str, mx.array]) -> dict[str, mx.array]:
        weights = {name: array for name, array in weights.items() if not is_mtp(name, end)}
        own: dict[str, mx.array] = base.sanitize(model, weights) if hasattr(base, "sanitize") else weights
        return own

    return type(base.__name__, (base,), {"sanitize": sanitize}), arguments_class


def _plain_path(folder: Path, scratch: Path) -> Path:
    """The folder, through a link where mlx-lm would take its name for a pattern."""
    if glob.escape(str(folder)) == str(folder):
        return folder
    link = scratch / "model"
    link.symlink_to(folder.resolve(), target_is_directory=True)
    return link


def _target_dtype(model: nn.Module, as_fp32: bool) -> mx.Dtype | None:
    """The type that floating weights are cast to; None keeps each one's own."""
    is_quantised = any(hasattr(module, "bits") for _, module in model.named_modules())
    on_cpu = mx.default_device() == mx.Device(mx.cpu)
    return mx.float32 if as_fp32 or (on_cpu and is_quantised) else None


def _own_arrays(module: nn.Module) -> dict[str, mx.array]:
    return {name: value for name, value in module.items() if isinstance(value, mx.array) and name[0] != "_"}


def _settle(model: nn.Module, path: str, module: nn.Module, dtype: mx.Dtype | None, as_fp32: bool) -> None:
    """Give one module its final form and evaluate it, so that what it was read from can go."""
    if as_fp32 and type(module) in _DENSE_CLASSES and "global_scale" not in module:
        module = _dense(module)
        _put(model, path, module)
    arrays = _own_arrays(module)
    if dtype is not None:
        arrays = {name: cast_floats(array, dtype) for name, array in arrays.items()}
        for name, array in arrays.items():
            module[name] = array
    _evaluate(arrays)


def cast_floats(array: mx.array, dtype: mx.Dtype) -> mx.array:
    """Packed weights and ids stay as they are."""
    return array.astype(dtype) if mx.issubdtype(array.dtype, mx.floating) else array


def _dense(module: nn.Module) -> nn.Module:
    """The fp32 form of a quantised layer; scales are widened first, so that nothing is rounded twice."""
    scales, biases = cast_floats(module["scales"], mx.float32), module.get("biases")
    weight = mx.dequantize(
        module["weight"],
        scales,
        None if biases is None else cast_floats(biases, mx.float32),
        module.group_size,
        module.bits,
        module.mode,
    )
    dense_class = _DENSE_CLASSES[type(module)]
    extra = {} if dense_class is nn.Embedding else {"bias": "bias" in module}
    dense = dense_class(*weight.shape[::-1], **extra)
    dense.weight = weight
    if "bias" in module:
        dense.bias = module["bias"]
    return dense


def _put(model: nn.Module, path: str, module: nn.Module) -> None:
    *parents, last = path.split(".")
    owner: Any = model
    for part in parents:
        owner = owner[int(part)] if isinstance(owner, list) else owner[part]
    owner[int(last) if isinstance(owner, list) else last] = module


def _evaluate(arrays: Any) -> None:
    try:
        mx.eval(arrays)
    except (RuntimeError, MemoryError) as error:
        raise ModelError(
            f"the weights could not be read ({error}); close other programs, or download the model again"
        ) from error


def _with_kv_bytes(facts: ModelFacts, dtype: mx.Dtype | None) -> ModelFacts:
    """Facts whose KV size holds for the type that the model was loaded in, None being that of its files."""
    folder = Path(facts.folder)
    config = read_config(folder)
    element_bytes = dtype.size if dtype else read_weights(folder, config).float_bytes
    return replace(facts, kv_bytes_per_token=state_size(language_config(config)).per_new_token * element_bytes)


def _content(facts: ModelFacts, dtype: mx.Dtype | None, before: str) -> Content:
    """`before` is the files' fingerprint when the load began: whatever took their place meanwhile is another model."""
    folder = Path(facts.folder)
    if fingerprint(folder) != before:
        raise ModelError(f"the model in {facts.folder!r} changed while it was loaded; load it again")
    own_type = read_weights(folder, read_config(folder)).float_name
    return Content(before, str(dtype).rpartition(".")[2] if dtype else own_type)
