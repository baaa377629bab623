"""Write goldens of EAGLE-3 heads from reference implementations with random weights.

Runs with torch 2.14.1, transformers 5.24.0 and speculators 0.9.0 installed, and a copy of DeepSpec's `deepspec` package
(commit afdfa7c) on PYTHONPATH, with the packages `datasets` and `hs_connectors` or empty stand-ins, which speculators
imports and this does not use: `python tests/data/goldens/make_eagle3.py`. Each file holds a checkpoint under its
published names, its config as metadata, and under `golden.` what was fed and what came out: logits after every pair of
a prompt, then of each step of a chain that feeds on its own output, and the tokens of that chain.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from deepspec.modeling.eagle3.gemma4 import Gemma4Eagle3Model, modeling
from deepspec.modeling.eagle3.qwen3 import Qwen3Eagle3Model
from safetensors.torch import save_file
from speculators.models.eagle3.config import Eagle3SpeculatorConfig
from speculators.models.eagle3.core import Eagle3DraftModel
from transformers import DynamicCache, LlamaConfig, Qwen3Config
from transformers.models.gemma4.configuration_gemma4 import Gemma4TextConfig
from transformers.models.gemma4.modeling_gemma4 import Gemma4TextRotaryEmbedding

HIDDEN, TOKENS, PROMPT, CHAIN = 16, 40, 6, 4
SHAPE: dict[str, Any] = {
    "hidden_size": HIDDEN,
    "intermediate_size": 24,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "vocab_size": TOKENS,
    "rms_norm_eps": 1e-6,
    "max_position_embeddings": 256,
}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
YARN = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 64}
GEMMA: dict[str, Any] = {
    "global_head_dim": 16,
    "num_global_key_value_heads": 1,
    "attention_k_eq_v": True,
    "num_kv_shared_layers": 0,
    "hidden_size_per_layer_input": 0,
    "enable_moe_block": False,
    "use_double_wide_mlp": False,
    "layer_types": ["full_attention"],
    "final_logit_softcapping": 4.0,
    "hidden_activation": "gelu_pytorch_tanh",
    "attention_bias": False,
    "rope_parameters": {
        "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1000000.0}
    },
}
DEEPSPEC = {"target_layer_ids": [0, 2, 4, 5, 6], "ttt_length": 7, "num_target_layers": 8, "draft_num_hidden_layers": 1}

Step = Callable[[torch.Tensor, torch.Tensor, bool], tuple[torch.Tensor, torch.Tensor]]


def main() -> None:
    torch.manual_seed(0)
    torch.set_grad_enabled(False)
    speculators("speculators", LlamaConfig(**SHAPE), draft_vocab_size=12)
    speculators("midlayer", LlamaConfig(**SHAPE, rope_parameters=LLAMA3), draft_vocab_size=12)
    kinds = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 3, "use_sliding_window": True}
    two = Qwen3Config(**SHAPE | {"num_hidden_layers": 2, "attention_bias": True} | kinds)
    flags = {"norm_before_residual": True, "norm_before_fc": True, "norm_output": True}
    speculators("speculators_qwen3", two, draft_vocab_size=12, **flags)
    speculators(
        "speculators_fc_norm", Qwen3Config(**SHAPE, rope_parameters=YARN), draft_vocab_size=TOKENS, fc_norm=True
    )
    qwen3 = Qwen3Config(**SHAPE | DEEPSPEC, step_loss_decay=1.0, attn_implementation="eager")
    deepspec("deepspec_qwen3", Qwen3Eagle3Model(qwen3), SHAPE | {"model_type": "qwen3"})
    gemma4 = Gemma4TextConfig(**SHAPE | GEMMA | DEEPSPEC, step_loss_decay=1.0, attn_implementation="eager")
    modeling.Gemma4TextRotaryEmbedding = lambda config, layer_type: Gemma4TextRotaryEmbedding(config)
    for field in ("num_global_key_value_heads", "global_head_dim"):  # DeepSpec was written for an earlier transformers
        setattr(gemma4, field, GEMMA[field])
    deepspec("deepspec_gemma4", Gemma4Eagle3Model(gemma4), SHAPE | GEMMA | {"model_type": "gemma4_text"})


def speculators(name: str, layer: Any, **fields: Any) -> None:
    layer._attn_implementation = "eager"
    config = Eagle3SpeculatorConfig(
        transformer_layer_config=layer, eagle_aux_hidden_state_layer_ids=[1, 3, 5], **fields
    )
    model = fill(Eagle3DraftModel(config))
    offsets = model.d2t
    if offsets is not None:  # a rising map of its tokens to the target's
        offsets.copy_(torch.randperm(TOKENS)[: len(offsets)].sort().values - torch.arange(len(offsets)))
    cache = DynamicCache()

    def step(tokens: torch.Tensor, hidden: torch.Tensor, is_first: bool) -> tuple[torch.Tensor, torch.Tensor]:
        if is_first and model.input_norm is not None:
            hidden = model.input_norm(hidden)
        if is_first and model.fc_norm is not None:
            parts = hidden.chunk(len(model.fc_norm), dim=-1)
            hidden = torch.cat([norm(part) for norm, part in zip(model.fc_norm, parts, strict=True)], dim=-1)
        hidden = model.fc(hidden) if is_first else hidden
        states = torch.cat([model.embed_tokens(tokens), hidden], dim=-1)
        positions = 1 + cache.get_seq_length() + torch.arange(tokens.shape[1])[None]
        rotary = model.rotary_emb(states, positions)
        start = cache.get_seq_length()
        for index, decoder in enumerate(model.layers):
            window = layer.sliding_window if index in model.sliding_window_indices else None
            mask = mask_of(start, tokens.shape[1], window)
            states = decoder(
                states, attention_mask=mask, position_ids=positions, past_key_values=cache, position_embeddings=rotary
            )
        normed = model.norm(states)
        return model.lm_head(normed), normed if config.norm_output else states

    weights = {key: value for key, value in model.state_dict().items() if not key.startswith("verifier")}
    text = layer.to_dict()
    outer: dict[str, Any] = {"speculators_model_type": "eagle3", "transformer_layer_config": text}
    outer |= {"eagle_aux_hidden_state_layer_ids": [1, 3, 5], **fields}
    if name == "midlayer":  # the same head as SafeAILab and SpecForge publish it
        weights = {key.replace("layers.0.", "midlayer."): value for key, value in weights.items()}
        outer = text | {"architectures": ["LlamaForCausalLMEagle3"], **fields}
        outer["eagle_config"] = {"eagle_aux_hidden_state_layer_ids": [0, 2, 4]}
    write(name, outer, weights, run(step, 3, offsets))


def mask_of(start: int, width: int, window: int | None) -> torch.Tensor:
    queries, keys = start + torch.arange(width)[:, None], torch.arange(start + width)[None]
    is_seen = (keys <= queries) & (keys > queries - (window or start + width))
    return torch.where(is_seen, 0.0, -1e9)[None, None]


def deepspec(name: str, model: Any, config: dict[str, Any]) -> None:
    fill(model)
    cache = DynamicCache()

    def step(tokens: torch.Tensor, hidden: torch.Tensor, is_first: bool) -> tuple[torch.Tensor, torch.Tensor]:
        positions = cache.get_seq_length() + torch.arange(tokens.shape[1])[None]
        mask = torch.full((tokens.shape[1],) * 2, -1e9).triu(1)[None, None] if is_first else None
        out = model(hidden, tokens, position_ids=positions, past_key_values=cache, attention_mask=mask)
        return model.compute_logits(out), out

    outer = config | DEEPSPEC | {"architectures": [type(model).__name__]}
    write(name, outer, model.state_dict(), run(step, len(DEEPSPEC["target_layer_ids"]), None))


def fill(model: Any) -> Any:
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.3)
        else:
            torch.nn.init.uniform_(parameter, 0.5, 1.5)
    for name, buffer in model.named_buffers():
        if name.endswith("layer_scalar"):
            buffer.fill_(0.7)
    return model.eval().float()


def run(step: Step, num_taps: int, offsets: torch.Tensor | None) -> dict[str, torch.Tensor]:
    tokens, taps = torch.randint(0, TOKENS, (1, PROMPT)), torch.randn(1, PROMPT, num_taps * HIDDEN)
    logits, hidden = step(tokens, taps, True)
    steps, chain = [logits], []
    for _ in range(CHAIN):
        draft = steps[-1][:, -1].argmax(-1)
        chain.append(draft if offsets is None else draft + offsets[draft])
        logits, hidden = step(chain[-1][None], hidden[:, -1:], False)
        steps.append(logits)
    return {"tokens": tokens, "taps": taps, "logits": torch.cat(steps, 1), "chain": torch.stack(chain, 1)}


def write(name: str, config: dict[str, Any], weights: dict[str, torch.Tensor], golden: dict[str, torch.Tensor]) -> None:
    tensors = {key: value.contiguous() for key, value in weights.items()}
    tensors |= {f"golden.{key}": value.contiguous() for key, value in golden.items()}
    path = Path(__file__).parent / f"eagle3_{name}.safetensors"
    save_file(tensors, str(path), {"config": json.dumps(config, default=str)})


if __name__ == "__main__":
    main()
