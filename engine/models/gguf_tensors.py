"""Names and types of the tensors of a llama-architecture GGUF file, as mlx-lm calls them; imports no MLX."""

from __future__ import annotations

import re

from engine.models.errors import ModelError
from engine.models.gguf_header import KEPT_TYPES, QUANTISED_BITS, GgufHeader

_TOP_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_LAYER_TENSOR = re.compile(r"blk\.(\d+)\.(\w+)")


def module_name(tensor_name: str) -> str:
    """The mlx-lm module that a GGUF tensor belongs to; ModelError for a tensor that plain llama has not."""
    stem, _, kind = tensor_name.rpartition(".")
    match = _LAYER_TENSOR.fullmatch(stem)
    known = _LAYER_NAMES.get(match[2]) if match else _TOP_NAMES.get(stem)
    if known is None or kind != "weight":
        raise ModelError(
            f"the file holds a tensor {tensor_name!r} that a plain llama model has not; "
            "use the model in MLX format instead"
        )
    return f"model.layers.{match[1]}.{known}" if match else known


def check_types(header: GgufHeader) -> None:
    """Refuse tensor types that would have to be requantised, naming them."""
    foreign = sorted({tensor.type_name for tensor in header.tensors if tensor.type_id not in KEPT_TYPES})
    if foreign:
        raise ModelError(
            f"the file holds tensors of type {', '.join(foreign)}; "
            "only F32, F16, Q4_0, Q4_1 and Q8_0 can be imported: use such a file or the model in MLX format"
        )


def quantised_modules(header: GgufHeader) -> dict[str, int]:
    """Bits of every quantised module."""
    return {
        module_name(tensor.name): QUANTISED_BITS[tensor.type_name]
        for tensor in header.tensors
        if tensor.type_name in QUANTISED_BITS
    }
