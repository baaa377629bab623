"""Goldens of the block drafters: tiny random checkpoints, and what the reference implementations make of them.

Runs with torch 2.14.1, transformers 5.24.0, dflash 0.1.0 and a copy of DeepSpec's `deepspec` package (commit afdfa7c)
on PYTHONPATH: `python tests/data/goldens/make_block.py`; those of speculators are made beside this. Each file holds a
checkpoint in fp16 under its published names, its config as metadata, and under `golden.` the target's embedding and
head, and of four rounds of growing context what was fed (taps, ids) and what came out (hidden, logits, tokens,
confidence).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from deepspec.modeling.dspark.gemma4 import Gemma4DSparkModel
from deepspec.modeling.dspark.gemma4 import modeling as gemma4_modeling
from deepspec.modeling.dspark.qwen3.modeling import Qwen3DSparkModel
from dflash.model import DFlashDraftModel
from safetensors.torch import save_file
from torch.nn.functional import embedding
from transformers import DynamicCache, Qwen3Config
from transformers.models.gemma4.configuration_gemma4 import Gemma4TextConfig
from transformers.models.gemma4.modeling_gemma4 import Gemma4TextRotaryEmbedding

HIDDEN, VOCABULARY, MASK, BLOCK = 16, 24, 23, 6
TAPS = [1, 3]  # outputs of these layers
ROUNDS = (11, 3, 1, 5)  # context tokens that each round adds; a ring of 8 is full at the one that adds a single token
LAYERS = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "intermediate_size": 24,
    "vocab_size": VOCABULARY,
    "rms_norm_eps": 1e-6,
    "max_position_embeddings": 512,
    "attention_bias": False,
    "hidden_act": "silu",
}
FULL = {"layer_types": ["full_attention"] * 2}
SLIDING = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 8, "use_sliding_window": True}
YARN = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 64, "rope_theta": 10000.0}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
    "rope_theta": 10000.0,
}
GEMMA = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_global_key_value_heads": 1,
    "head_dim": 8,
    "global_head_dim": 16,
    "intermediate_size": 24,
    "vocab_size": VOCABULARY,
    "rms_norm_eps": 1e-6,
    "max_position_embeddings": 512,
    "attention_bias": False,
    "attention_dropout": 0.0,
    "hidden_activation": "gelu_pytorch_tanh",
    "hidden_size_per_layer_input": 0,
    "enable_moe_block": False,
    "num_kv_shared_layers": 0,
    "final_logit_softcapping": 3.0,
    "rope_parameters": {
        "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1000000.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
    },
    **FULL,
}
DEEPSPEC = {"block_size": BLOCK, "num_target_layers": 6, "target_layer_ids": TAPS, "mask_token_id": MASK}


def randomise(model: torch.nn.Module) -> None:
    """Large random weights that fp16 holds exactly, so that the file can keep them in half the bytes."""
    for array in model.state_dict().values():
        if array.is_floating_point():
            noise = torch.randn_like(array) * 0.3 if array.dim() > 1 else torch.rand_like(array) + 0.5
            array.copy_(noise.half().float())


def checkpoint(model: torch.nn.Module, skipped: tuple[str, ...] = ()) -> dict[str, torch.Tensor]:
    state = {name: array for name, array in model.state_dict().items() if not name.startswith(skipped or ("-",))}
    return {name: (array.half() if array.is_floating_point() else array).contiguous() for name, array in state.items()}


def target() -> dict[str, torch.Tensor]:
    return {
        "golden.embedding": (torch.randn(VOCABULARY, HIDDEN) * 0.5).half().float(),
        "golden.head": (torch.randn(VOCABULARY, HIDDEN) * 0.3).half().float(),
    }


def block_ids(index: int) -> torch.Tensor:
    ids = torch.full((1, BLOCK), MASK)
    ids[0, 0] = 7 + index
    return ids


def record(index: int, **values: torch.Tensor) -> dict[str, torch.Tensor]:
    """What went in or came out in one round."""
    return {f"golden.{index}.{name}": array for name, array in values.items()}


def new_cache(config: Any) -> DynamicCache:
    cache = DynamicCache(config=config)
    cache.activate_past_recording()
    return cache


def save(name: str, config: dict[str, Any], arrays: dict[str, torch.Tensor]) -> None:
    arrays = {key: array.clone(memory_format=torch.contiguous_format) for key, array in arrays.items()}
    save_file(arrays, Path(__file__).parent / f"block_{name}.safetensors", {"config": json.dumps(config)})


def make_zlab(name: str, published: dict[str, Any], scale: float = 1.0, **changes: Any) -> None:
    """z-lab's own class; `published` is what the config says beyond the layers, in one of its schemas."""
    torch.manual_seed(len(name))
    config = Qwen3Config(**{**LAYERS, **changes}, tie_word_embeddings=False)
    config._attn_implementation = "sdpa"
    for key, value in {"num_target_layers": 6, **published}.items():
        setattr(config, key, value)
    model = DFlashDraftModel(config).eval().float()
    randomise(model)
    arrays = checkpoint(model) | target()
    cache, position, seen = new_cache(config), 0, torch.zeros(1, 0, len(TAPS) * HIDDEN)
    vocabulary = torch.nn.Linear(HIDDEN, VOCABULARY, bias=False)
    vocabulary.weight.data = arrays["golden.head"]
    for index, count in enumerate(ROUNDS):
        taps, ids = torch.randn(1, count, len(TAPS) * HIDDEN), block_ids(index)
        seen, end = torch.cat([seen, taps], 1), position + count
        embedded = embedding(ids, arrays["golden.embedding"]) * scale
        with torch.no_grad():
            hidden = model(
                target_hidden=taps,
                noise_embedding=embedded,
                position_ids=torch.arange(position, end + BLOCK)[None],
                past_key_values=cache,
                use_cache=True,
            )
            whole = model(
                target_hidden=seen,
                noise_embedding=embedded,
                position_ids=torch.arange(end + BLOCK)[None],
                use_cache=False,
            )
            logits = model.compute_logits(hidden[:, 1:], vocabulary)
        assert (hidden - whole).abs().max() < 1e-4, "the reference disagrees with itself"
        cache.crop(-(cache.get_seq_length() - end))
        arrays |= record(index, taps=taps, ids=ids, hidden=hidden, logits=logits)
        position = end
    layers = {**LAYERS, **{key: value for key, value in changes.items() if key != "rope_parameters"}}
    rope = changes.get("rope_parameters")
    rope_fields = {"rope_parameters": rope} if rope else {"rope_theta": 10000.0, "rope_scaling": None}
    head = {"architectures": ["DFlashDraftModel"], "model_type": "qwen3", "auto_map": {"AutoModel": "dflash.DFlash"}}
    save(name, {**head, **layers, **rope_fields, "num_target_layers": 6, **published}, arrays)


def make_deepspec(name: str, base: dict[str, Any], heads: dict[str, Any]) -> None:
    """DeepSpec's DSpark classes; without a Markov and a confidence head it is what DeepSpec calls dflash."""
    torch.manual_seed(len(name))
    is_gemma = base is not LAYERS
    own = {**DEEPSPEC, "num_anchors": 4, **heads}
    fields = base if is_gemma else {**base, **FULL, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}}
    if "attention_k_eq_v" in heads:
        fields = {**fields, "attention_k_eq_v": heads["attention_k_eq_v"]}
    config = (Gemma4TextConfig if is_gemma else Qwen3Config)(**fields, tie_word_embeddings=False)
    config._attn_implementation = "sdpa"
    later = {key: fields[key] for key in ("num_global_key_value_heads", "global_head_dim") if is_gemma}
    for key, value in {**own, **later}.items():  # DeepSpec was written for a transformers that kept these here
        setattr(config, key, value)
    model = (Gemma4DSparkModel if is_gemma else Qwen3DSparkModel)(config).eval().float()
    randomise(model)
    arrays = checkpoint(model)
    cache, position = new_cache(config), 0
    for index, count in enumerate(ROUNDS):
        taps, ids = torch.randn(1, count, len(TAPS) * HIDDEN), block_ids(index)
        end = position + count
        with torch.no_grad():
            hidden = model._forward_backbone(
                target_hidden_states=taps,
                noise_embedding=model.embed_tokens(ids),
                position_ids=torch.arange(position, end + BLOCK)[None],
                attention_mask=None,
                past_key_values=cache,
                use_cache=True,
                is_causal=False,
            )
            cache.crop(-(cache.get_seq_length() - end))
            tokens, logits = model.sample_draft_tokens(
                model.compute_logits(hidden), first_prev_token_ids=ids[:, 0], temperature=0.0, hidden_states=hidden
            )
            confidence = model.predict_confidence_step(hidden, torch.cat([ids[:, :1], tokens[:, :-1]], 1))
        arrays |= record(index, taps=taps, ids=ids, hidden=hidden, logits=logits, tokens=tokens)
        arrays |= {} if confidence is None else record(index, confidence=confidence)
        position = end
    architecture = "Gemma4DSparkModel" if is_gemma else "Qwen3DSparkModel"
    save(name, {"architectures": [architecture], "model_type": config.model_type, **fields, **own}, arrays)


def main() -> None:
    # DeepSpec was written for a transformers whose embedding was told its layer type here
    gemma4_modeling.Gemma4TextRotaryEmbedding = lambda config, layer_type: Gemma4TextRotaryEmbedding(config)
    old = {"block_size": BLOCK, "dflash_config": {"mask_token_id": MASK, "target_layer_ids": TAPS}}
    new = {"dflash_config": {"block_size": BLOCK, "mask_token_id": MASK, "target_layer_ids": TAPS}}
    scaled = {"dflash_config": {**new["dflash_config"], "input_embedding_scale": 1.5}}
    default = {"rope_type": "default", "rope_theta": 10000.0}
    make_zlab("dflash", old, **FULL)
    make_zlab("dflash_sliding", scaled, 1.5, **SLIDING, rope_parameters=default)
    make_zlab("dflash_causal", {**new, "is_causal": True}, **FULL, rope_parameters=default)
    make_zlab("dflash_yarn", new, **FULL, rope_parameters=YARN, attention_bias=True)
    make_zlab("dflash_llama3", new, **FULL, rope_parameters=LLAMA3)
    confident = {"enable_confidence_head": True, "confidence_head_with_markov": True, "markov_rank": 4}
    unread = {**confident, "confidence_head_with_markov": False}
    none = {"enable_confidence_head": False, "markov_rank": 0}
    make_deepspec("dspark_vanilla", LAYERS, {**confident, "markov_head_type": "vanilla"})
    make_deepspec("dspark_gated", LAYERS, {**unread, "markov_head_type": "gated"})
    make_deepspec("dspark_rnn", LAYERS, {**confident, "markov_head_type": "rnn"})
    make_deepspec("dspark_gemma4", GEMMA, {**confident, "markov_head_type": "vanilla", "attention_k_eq_v": True})
    make_deepspec("dspark_gemma4_values", GEMMA, {**none, "attention_k_eq_v": False})
    make_deepspec("deepspec_dflash", LAYERS, none)


if __name__ == "__main__":
    main()
