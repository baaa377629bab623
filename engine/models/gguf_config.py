"""config.json and generation_config.json of a llama-architecture GGUF file."""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeVar

from engine.models.errors import ModelError
from engine.models.gguf_header import GgufHeader
from engine.models.gguf_tensors import quantised_modules

_GROUP_SIZE = 32  # of every GGUF block type that is kept
# control tokens that end a reply whatever the metadata names as end, as in llama.cpp's list
_END_TOKENS = frozenset(
    ("<|endoftext|>", "<|im_end|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<end_of_turn>", "</s>")
)
_CONTROL = 3
T = TypeVar("T", int, float, str)


def make_config(header: GgufHeader) -> dict[str, Any]:
    """The config.json that mlx-lm loads the converted tensors with."""
    hidden = need(header, "llama.embedding_length", int)
    heads = need(header, "llama.attention.head_count", int)
    width = header.metadata.get("llama.attention.key_length", hidden // heads)
    _check_rope(header, width)
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": hidden,
        "intermediate_size": need(header, "llama.feed_forward_length", int),
        "num_hidden_layers": need(header, "llama.block_count", int),
        "num_attention_heads": heads,
        "num_key_value_heads": header.metadata.get("llama.attention.head_count_kv", heads),
        "head_dim": width,
        "max_position_embeddings": need(header, "llama.context_length", int),
        "rms_norm_eps": _short(need(header, "llama.attention.layer_norm_rms_epsilon", float)),
        "rope_theta": _short(header.metadata.get("llama.rope.freq_base", 10000.0)),
        "rope_traditional": False,
        "vocab_size": _vocab_size(header),
        "tie_word_embeddings": not any(tensor.name == "output.weight" for tensor in header.tensors),
        "eos_token_id": end_ids(header.metadata),
    }
    quantisation, licence = _quantisation(header), header.metadata.get("general.license")
    optional = {"quantization": quantisation, "license": licence if isinstance(licence, str) else ""}
    return config | {name: value for name, value in optional.items() if value}


def make_generation_config(header: GgufHeader) -> dict[str, Any]:
    """The generation_config.json; every id in it that ends a reply counts."""
    ids = {"bos_token_id": "bos", "pad_token_id": "padding"}
    found = {key: header.metadata.get(f"tokenizer.ggml.{name}_token_id") for key, name in ids.items()}
    present = {key: value for key, value in found.items() if value is not None}
    return {"eos_token_id": end_ids(header.metadata)} | present


def end_ids(metadata: dict[str, Any]) -> list[int]:
    """Ids that end a reply: the ones the metadata names, and well-known control tokens."""
    named = (metadata.get(f"tokenizer.ggml.{name}_token_id") for name in ("eos", "eot", "eom"))
    tokens = zip(metadata.get("tokenizer.ggml.tokens", ()), metadata.get("tokenizer.ggml.token_type", ()), strict=False)
    known = (index for index, (text, kind) in enumerate(tokens) if kind == _CONTROL and text in _END_TOKENS)
    return sorted({*known, *(index for index in named if index is not None)})


def need(header: GgufHeader, key: str, kind: type[T]) -> T:
    """A text, or a number above 0, that a llama file must have."""
    value = header.metadata.get(key)
    if not isinstance(value, kind) or not value or (not isinstance(value, str) and value < 0):
        raise ModelError(
            f"the file's metadata has {value!r} for {key!r}, which must be {kind.__name__}; "
            "download the file again or use another conversion of it"
        )
    return value


def _check_rope(header: GgufHeader, width: int) -> None:
    rotated = header.metadata.get("llama.rope.dimension_count", width)
    scaling = header.metadata.get("llama.rope.scaling.type", "none")
    if rotated != width or scaling != "none":
        raise ModelError(
            f"the file rotates {rotated} of {width} dimensions with scaling {scaling!r}; only whole heads without "
            "scaling can be imported: use the model in MLX format instead"
        )


def _vocab_size(header: GgufHeader) -> int:
    for tensor in header.tensors:
        if tensor.name == "token_embd.weight":
            return tensor.shape[0]
    raise ModelError("the file has no tensor 'token_embd.weight'; download the file again")


def _quantisation(header: GgufHeader) -> dict[str, Any]:
    """mlx-lm's form: the usual bits, and an entry for each module that differs."""
    modules = quantised_modules(header)
    if not modules:
        return {}
    usual = Counter(modules.values()).most_common(1)[0][0]
    others = {name: {"group_size": _GROUP_SIZE, "bits": bits} for name, bits in modules.items() if bits != usual}
    return {"group_size": _GROUP_SIZE, "bits": usual, **others}


def _short(value: float) -> float:
    """A 32-bit float as the shortest decimal that means it."""
    return float(f"{value:.7g}")
