"""Tiny random fp32 targets for engine tests: one of every proven model type, and a whole tiny model folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten, tree_unflatten
from mlx_lm.utils import _get_classes
from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE

TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
END_TOKEN = "<|im_end|>"
_CONTROL_TOKENS = ("<|endoftext|>", "<|im_start|>", END_TOKEN)
_SHAPE = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 512,
    "tie_word_embeddings": False,
    "rms_norm_eps": 1e-5,
    "layer_norm_eps": 1e-5,
    "layer_norm_epsilon": 1e-5,
    "norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "attention_bias": False,
    "mlp_bias": False,
}
_INSIDE_TEXT_CONFIG = frozenset(("gemma3", "gemma4", "gemma4_unified", "llama4", "qwen3_5", "qwen3_5_moe"))
_EXPERTS = {
    "num_experts": 4,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 24,
    "shared_expert_intermediate_size": 24,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
    "norm_topk_prob": True,
}
_GATED_DELTA = {
    "full_attention_interval": 2,
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_conv_kernel_dim": 4,
    "partial_rotary_factor": 0.5,
}
_MAMBA = {"mamba_n_heads": 4, "mamba_d_head": 8, "mamba_d_ssm": 32, "mamba_d_state": 8, "mamba_d_conv": 4}
_SHORT_CONV = {"conv_bias": False, "conv_L_cache": 3, "layer_types": ["conv", "full_attention"]}
_WINDOW = {"sliding_window": 16, "layer_types": ["sliding_attention", "full_attention"], "sliding_window_pattern": 2}
_GEMMA3 = {**_WINDOW, "query_pre_attn_scalar": 8}
_GEMMA4 = {
    **_WINDOW,
    "num_hidden_layers": 4,
    "layer_types": ["sliding_attention", "full_attention"] * 2,
    "num_kv_shared_layers": 2,
    "global_head_dim": 16,
    "hidden_size_per_layer_input": 8,
    "vocab_size_per_layer_input": 259,
}
_LATENT = {
    "kv_lora_rank": 16,
    "q_lora_rank": 24,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 12,
    "v_head_dim": 12,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_shared_experts": 1,
    "moe_intermediate_size": 24,
    "first_k_dense_replace": 1,
}
_SIGMOID_EXPERTS = {
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_shared_experts": 1,
    "moe_intermediate_size": 24,
    "first_k_dense_replace": 1,
    "n_group": 1,
    "topk_group": 1,
    "norm_topk_prob": True,
    "routed_scaling_factor": 1.0,
    "rope_scaling": None,
}
_PICKING = {
    **_LATENT,
    **_SIGMOID_EXPERTS,
    "index_head_dim": 32,
    "index_n_heads": 2,
    "index_topk": 12,  # fewer than the tokens of most texts
    "moe_layer_freq": 1,
    "topk_method": "noaux_tc",
    "scoring_func": "sigmoid",
    "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
}
_OWN: dict[str, dict[str, Any]] = {
    "apertus": {"post_norm": False, "qk_norm": True},
    "cohere2": _WINDOW,
    "deepseek_v3": _LATENT,
    "ernie4_5": {"use_bias": False},
    "exaone4": {**_WINDOW, "sliding_window_pattern": "LG", "rope_scaling": {"type": "default"}},
    "falcon_h1": _MAMBA,
    "falcon_mamba": {"state_size": 8, "conv_kernel": 4, "use_bias": False, "use_conv_bias": True, "time_step_rank": 4},
    "gemma3": _GEMMA3,
    "gemma3_text": _GEMMA3,
    "gemma4": _GEMMA4,
    "gemma4_text": _GEMMA4,
    "gemma4_unified": _GEMMA4,
    "glm4": {"partial_rotary_factor": 0.5},
    "glm4_moe": {**_SIGMOID_EXPERTS, "use_qk_norm": True, "partial_rotary_factor": 0.5},
    "glm4_moe_lite": _LATENT,
    "glm_moe_dsa": _PICKING,
    "gpt_neox": {"rotary_emb_base": 10000, "rotary_pct": 0.5},
    "gpt_oss": {**_EXPERTS, **_WINDOW},
    "granite": {
        "logits_scaling": 1.0,
        "attention_multiplier": 0.35,
        "embedding_multiplier": 1.0,
        "residual_multiplier": 1.0,
    },
    "granitemoehybrid": {
        **_MAMBA,
        "mamba_n_groups": 1,
        "mamba_proj_bias": False,
        "mamba_conv_bias": True,
        "layer_types": ["mamba", "attention"],
        "position_embedding_type": "nope",
        "logits_scaling": 1.0,
        "attention_multiplier": 0.35,
        "embedding_multiplier": 1.0,
        "residual_multiplier": 1.0,
    },
    "jamba": {
        **_EXPERTS,
        "attn_layer_offset": 1,
        "attn_layer_period": 2,
        "expert_layer_offset": 1,
        "expert_layer_period": 2,
        "mamba_d_conv": 4,
        "mamba_d_state": 8,
        "mamba_expand": 2,
    },
    "kimi_k2": _LATENT,
    "lfm2": {
        **_SHORT_CONV,
        "block_dim": 32,
        "block_multiple_of": 8,
        "block_ffn_dim_multiplier": 1.0,
        "block_auto_adjust_ff_dim": False,
    },
    "lfm2_moe": {**_EXPERTS, **_SHORT_CONV, "use_expert_bias": True, "num_dense_layers": 1},
    "llama4": {
        **_EXPERTS,
        "num_experts_per_tok": 1,
        "num_hidden_layers": 4,
        "attention_chunk_size": 16,
        "interleave_moe_layer_step": 1,
        "intermediate_size_mlp": 48,
        "rope_scaling": None,
        "use_qk_norm": True,
    },
    "mamba": {"state_size": 8, "conv_kernel": 4, "use_bias": False, "use_conv_bias": True, "time_step_rank": 4},
    "mamba2": {
        "num_heads": 4,
        "state_size": 8,
        "conv_kernel": 4,
        "n_groups": 1,
        "use_bias": False,
        "use_conv_bias": True,
        "time_step_limit": [0.001, 100.0],
        "time_step_rank": 4,
    },
    "minicpm": {"dim_model_base": 32, "scale_depth": 1.4, "scale_emb": 1.0},
    "mixtral": _EXPERTS,
    "nemotron": {"hidden_act": "relu2"},
    "nemotron_h": {
        "mamba_num_heads": 4,
        "mamba_head_dim": 8,
        "mamba_proj_bias": False,
        "ssm_state_size": 8,
        "conv_kernel": 4,
        "n_groups": 1,
        "use_bias": False,
        "use_conv_bias": True,
        "hybrid_override_pattern": ["M", "-", "*", "-"],
    },
    "olmo_hybrid": {
        **_GATED_DELTA,
        "linear_allow_neg_eigval": True,
        "layer_types": ["linear_attention", "full_attention"],
    },
    "olmo3": _WINDOW,
    "olmoe": _EXPERTS,
    "phi": {"num_key_value_heads": 4, "partial_rotary_factor": 0.5},
    "qwen2_moe": _EXPERTS,
    "qwen3_5": _GATED_DELTA,
    "qwen3_5_moe": {**_EXPERTS, **_GATED_DELTA},
    "qwen3_moe": _EXPERTS,
    "qwen3_next": {**_EXPERTS, **_GATED_DELTA},
    "rwkv7": {"a_low_rank_dim": 8, "v_low_rank_dim": 8, "gate_low_rank_dim": 8, "decay_low_rank_dim": 8},
    "stablelm": {"use_qkv_bias": False, "partial_rotary_factor": 0.5},
}


def tiny_config(model_type: str, vocab_size: int = 64, **changes: Any) -> dict[str, Any]:
    """A config.json of a tiny model; every model type takes what it knows of it."""
    config = {"model_type": model_type, "vocab_size": vocab_size, **_SHAPE, **_OWN.get(model_type, {}), **changes}
    if model_type not in _INSIDE_TEXT_CONFIG:
        return config
    inner = config | {"model_type": f"{model_type}_text"}
    return {"model_type": model_type, "vocab_size": vocab_size, "text_config": inner}


def tiny_model(model_type: str, seed: int = 0, vocab_size: int = 64, **changes: Any) -> nn.Module:
    """A tiny evaluated fp32 model whose greedy text varies: weights are large, and differ with the seed."""
    model_class, args_class = _get_classes({"model_type": model_type})
    model = model_class(args_class.from_dict(tiny_config(model_type, vocab_size, **changes)))
    keys = iter(mx.random.split(mx.random.key(seed), 1024))
    arrays = [(name, _random(name, array, next(keys))) for name, array in tree_flatten(model.parameters())]
    model.update(tree_unflatten(arrays))
    model.eval()
    mx.eval(model.parameters())
    return model


def tiny_folder(folder: Path, model_type: str = "llama", seed: int = 0, *, letters: str = "", **changes: Any) -> Path:
    """Write a whole tiny model folder: fp32 weights, a byte-level tokenizer, a ChatML-like template.

    The tokenizer has 259 tokens, or three and these letters, where it reads nothing else.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_tiny_tokenizer(folder, letters)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    vocab_size, end_id = tokenizer.get_vocab_size(), tokenizer.token_to_id(END_TOKEN)
    model = tiny_model(model_type, seed, vocab_size, **changes)
    mx.save_safetensors(str(folder / "model.safetensors"), dict(tree_flatten(model.parameters())), {"format": "mlx"})
    write_json(folder / "config.json", tiny_config(model_type, vocab_size, **changes) | {"eos_token_id": end_id})
    write_json(folder / "generation_config.json", {"eos_token_id": [end_id]})
    return folder


def write_tiny_tokenizer(folder: Path, letters: str = "") -> None:
    """One token for every byte, or each of some letters, and three control tokens, with a template."""
    alphabet = list(letters) or sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(BPE(vocab={text: index for index, text in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in _CONTROL_TOKENS])
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<|im_start|>",
        "eos_token": END_TOKEN,
        "pad_token": END_TOKEN,
        "chat_template": TEMPLATE,
        "clean_up_tokenization_spaces": False,
    }
    write_json(folder / "tokenizer_config.json", config)


def write_json(path: Path, value: Any) -> None:
    """Write one JSON file of a model folder."""
    path.write_text(json.dumps(value), encoding="utf-8")


def _random(name: str, array: mx.array, key: mx.array) -> mx.array:
    """Norms near 1, biases near 0, decays slow, everything else normal with a deviation that keeps logits apart."""
    noise = mx.random.normal(array.shape, key=key)
    if name.endswith("A_log"):
        return 0.1 * noise - 4  # a recurrent state that remembers dozens of tokens
    if name.endswith("w_lora.lora.2.bias"):
        return 0.1 * noise - 4  # so does rwkv7's
    if array.ndim == 1:
        return 0.1 * noise + (0 if name.endswith("bias") else 1)
    return 0.6 * noise
