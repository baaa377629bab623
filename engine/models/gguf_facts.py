"""What is known of a GGUF file before it is imported: its header alone is read. Imports no MLX."""

from __future__ import annotations

from collections import Counter
from math import prod
from pathlib import Path
from typing import Any

from engine.messages import ModelFacts
from engine.models.errors import ModelError
from engine.models.gguf_config import make_config, need
from engine.models.gguf_header import QUANTISED_BITS, GgufHeader, GgufTensor, read_header
from engine.models.gguf_tensors import check_types, module_name
from engine.models.gguf_tokenizer import find_splitting
from engine.models.precision import kv_element_bytes
from engine.models.state_size import state_size
from engine.models.weights import Weights

_BLOCK = 32  # weights that share a scale and a bias, fp16 both, once they are imported
_DENSE = {"F32": ("fp32", 4), "F16": ("fp16", 2)}


def read_gguf_facts(target: str, path: Path) -> ModelFacts:
    """Facts of what an import would make; ModelError where there would be none. Its tokenizer has no identity yet."""
    header = read_checked_header(path)
    find_splitting(header.metadata)
    config, weights = make_config(header), _weights(header)
    return ModelFacts(
        target=target,
        folder=str(path),
        name=path.stem,
        model_type=config["model_type"],
        context_length=config["max_position_embeddings"],
        vocab_size=config["vocab_size"],
        num_layers=config["num_hidden_layers"],
        quantisation=_quantisation(header),
        weight_bytes=weights.num_bytes,
        kv_bytes_per_token=state_size(config).per_new_token * kv_element_bytes(weights),
        tokenizer_id="",
        has_template="tokenizer.chat_template" in header.metadata,
    )


def read_gguf_shape(path: Path) -> tuple[dict[str, Any], Weights]:
    """The config and the weights that an import would write."""
    header = read_checked_header(path)
    return make_config(header), _weights(header)


def read_checked_header(path: Path) -> GgufHeader:
    """A header of a file that can be imported; ModelError says why another one cannot."""
    header = read_header(path)
    architecture = need(header, "general.architecture", str)
    if architecture != "llama":
        raise ModelError(
            f"{path.name} has architecture {architecture!r}; only 'llama' GGUF files can be imported: "
            "use the model in MLX format instead"
        )
    check_types(header)
    for tensor in header.tensors:
        module_name(tensor.name)
    return header


def _quantisation(header: GgufHeader) -> str:
    """The type of the most weights."""
    counts = Counter[str]()
    for tensor in header.tensors:
        counts[tensor.type_name] += prod(tensor.shape)
    usual = counts.most_common(1)[0][0]
    return f"{QUANTISED_BITS[usual]}-bit" if usual in QUANTISED_BITS else _DENSE[usual][0]


def _weights(header: GgufHeader) -> Weights:
    dense = [tensor.type_name for tensor in header.tensors if tensor.type_name in _DENSE]
    is_quantised = len(dense) < len(header.tensors)
    usual = Counter(dense).most_common(1)[0][0] if dense else "F16"
    widest = 2 if is_quantised or "F32" not in dense else 4
    return Weights(
        num_bytes=sum(map(_imported_bytes, header.tensors)),
        num_parameters=sum(prod(tensor.shape) for tensor in header.tensors),
        float_name=_DENSE[usual][0],
        float_bytes=widest,
        is_quantised=is_quantised,
    )


def _imported_bytes(tensor: GgufTensor) -> int:
    size = prod(tensor.shape)
    if tensor.type_name in _DENSE:
        return size * _DENSE[tensor.type_name][1]
    return size * QUANTISED_BITS[tensor.type_name] // 8 + size // _BLOCK * 4
