"""A tiny llama-architecture GGUF file, written with MLX, with llama.cpp's row order and a byte-level vocabulary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from tokenizers import pre_tokenizers

from tests.engine.tiny import TEMPLATE, tiny_model

_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
_HEADS = {"attn_q": 4, "attn_k": 2}


def tiny_tokens() -> list[str]:
    """Two control tokens, every byte, and one merged word."""
    return ["<|im_start|>", "<|im_end|>", *sorted(pre_tokenizers.ByteLevel.alphabet()), "he"]


def write_tiny_gguf(path: Path, **changes: Any) -> Path:
    """Write the tiny llama of seed 0 with 259 tokens; `changes` replace metadata, with "__" for a dot in a key."""
    arrays = dict(_to_gguf(name, array) for name, array in tree_flatten(_model().parameters()))
    metadata = _metadata() | {key.replace("__", "."): value for key, value in changes.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    mx.save_gguf(str(path), arrays, {key: value for key, value in metadata.items() if value is not None})
    return path


def _model() -> Any:
    return tiny_model("llama", vocab_size=len(tiny_tokens()))


def _to_gguf(name: str, array: mx.array) -> tuple[str, mx.array]:
    module = name.removesuffix(".weight")
    if not module.startswith("model.layers."):
        return f"{_NAMES[module]}.weight", array
    _, _, layer, rest = module.split(".", 3)
    return f"blk.{layer}.{_NAMES[rest]}.weight", _permute(array, _HEADS.get(_NAMES[rest], 0))


def _permute(array: mx.array, num_heads: int) -> mx.array:
    """llama.cpp's order of q and k rows: LlamaModel.permute in its convert_hf_to_gguf.py."""
    if not num_heads:
        return array
    rows, columns = array.shape
    return array.reshape(num_heads, 2, rows // num_heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def _metadata() -> dict[str, Any]:
    tokens = tiny_tokens()
    numbers = {
        "llama.embedding_length": 32,
        "llama.feed_forward_length": 48,
        "llama.block_count": 2,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "llama.context_length": 512,
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 1,
    }
    return {
        "general.architecture": "llama",
        "llama.attention.layer_norm_rms_epsilon": mx.array(1e-5),
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.merges": ["h e"],
        "tokenizer.ggml.token_type": mx.array([3, 3] + [1] * (len(tokens) - 2), mx.int32),
        "tokenizer.chat_template": TEMPLATE,
        **{key: mx.array(value, mx.uint32) for key, value in numbers.items()},
    }
