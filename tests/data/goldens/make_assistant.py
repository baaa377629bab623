"""Write assistant.safetensors: what transformers' Gemma-4 assistant drafts for three prompts of a tiny random target.

Made with torch 2.14.1, transformers 5.24.0 and, as a second opinion, mlx-vlm 0.7.10, all on the CPU. Both run four
chained steps at the constant position N - 1 with keys and values of exactly the N tokens that the target has read, as
vLLM and mlx-vlm do; transformers' own loop takes position N and, from its second round on, one rejected entry too.

A sliding layer's mask is the one thing in which they differ. transformers' is inclusive, |q - k| <= W, with the query
at the newest key: W + 1 keys, one more than the target's own layers see (masking_utils.py,
sliding_window_bidirectional_overlay; modeling_gemma4_assistant.py flips it). mlx-vlm's is exclusive, |q - k| < W
(masks.py, bidirectional_swa_mask): the last W keys where it is given all of them, W - 1 where a rotating cache holds W,
since the query then counts as standing behind them. Here both see the W keys [N - W, N - 1] of a target's own query at
N - 1: transformers is told a window of W - 1, mlx-vlm is given all keys.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import torch
from mlx_vlm.speculative.drafters.gemma4_assistant.config import Gemma4AssistantConfig as VlmConfig
from mlx_vlm.speculative.drafters.gemma4_assistant.gemma4_assistant import Gemma4AssistantDraftModel
from safetensors.torch import save_file
from transformers import Gemma4AssistantConfig, Gemma4AssistantForCausalLM, Gemma4TextConfig
from transformers.models.gemma4.modeling_gemma4 import Gemma4ForCausalLM

VOCABULARY = 48
HIDDEN = 16
LENGTHS = (11, 3, 13)
WINDOWS = {"inside": 16, "past": 5}
STEPS = 4
KINDS = {"dense": False, "centroid": True}
SHAPE = {
    "vocab_size": VOCABULARY,
    "head_dim": 8,
    "global_head_dim": 16,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_global_key_value_heads": 1,
    "attention_k_eq_v": True,
    "rms_norm_eps": 1e-6,
    "max_position_embeddings": 512,
    "hidden_size_per_layer_input": 0,
    "vocab_size_per_layer_input": 0,
    "tie_word_embeddings": True,
    "attn_implementation": "eager",
}


def target_config(window: int) -> Gemma4TextConfig:
    layer_types = ["sliding_attention", "full_attention"] * 2
    own = {"hidden_size": HIDDEN, "intermediate_size": 16, "num_hidden_layers": 4, "num_kv_shared_layers": 2}
    return Gemma4TextConfig(
        layer_types=layer_types, sliding_window=window, final_logit_softcapping=30.0, **own, **SHAPE
    )


def assistant_config(window: int, is_ordered: bool) -> Gemma4AssistantConfig:
    layer_types = ["sliding_attention", "sliding_attention", "full_attention"]
    own = {"hidden_size": 12, "intermediate_size": 20, "num_hidden_layers": 3, "num_kv_shared_layers": 3}
    text = Gemma4TextConfig(layer_types=layer_types, sliding_window=window, **own, **SHAPE)
    config = Gemma4AssistantConfig(
        text_config=text,
        backbone_hidden_size=HIDDEN,
        use_ordered_embeddings=is_ordered,
        num_centroids=8,
        centroid_intermediate_top_k=3,
    )
    config._attn_implementation = "eager"
    return config


def fill(model: torch.nn.Module, seed: int) -> torch.nn.Module:
    """Random weights, the same for every model with these parameters."""
    torch.manual_seed(seed)
    for _, parameter in sorted(model.named_parameters()):
        with torch.no_grad():
            matrix = parameter.dim() > 1
            parameter.copy_(torch.randn(parameter.shape) * 0.3 if matrix else torch.rand(parameter.shape) + 0.5)
    if getattr(model, "masked_embedding", None) is not None:
        order = torch.randperm(VOCABULARY, generator=torch.Generator().manual_seed(seed))
        model.masked_embedding.token_ordering.copy_(order)
    model.tie_weights()
    return model.eval().float()


def draft(assistant: Any, table: torch.nn.Module, row: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits [steps, vocabulary] and hidden states [steps, hidden] of transformers."""
    token, hidden, length = row["pending"], row["hidden"], row["hidden_position"] + 1
    logits, hiddens = [], []
    for _ in range(STEPS):
        output = assistant(
            inputs_embeds=torch.cat([table(token), hidden], dim=-1),
            attention_mask=torch.ones(1, length, dtype=torch.long),
            position_ids=torch.tensor([[row["hidden_position"]]]),
            shared_kv_states=row["donors"],
        )
        token, hidden = output.logits.argmax(-1), output.last_hidden_state
        logits.append(output.logits[0, 0])
        hiddens.append(hidden[0, 0])
    return torch.stack(logits), torch.stack(hiddens)


def draft_again(assistant: Any, window: int, table: torch.nn.Module, row: dict[str, Any]) -> mx.array:
    """The logits of mlx-vlm."""
    config = assistant.config.to_dict()
    config["text_config"] |= {"model_type": "gemma4_text", "sliding_window": window}
    config["text_config"] |= {name: SHAPE[name] for name in ("global_head_dim", "num_global_key_value_heads")}
    config["text_config"].pop("per_layer_config", None)
    model = Gemma4AssistantDraftModel(VlmConfig.from_dict(json.loads(json.dumps(config, default=str))))
    weights = {name: mx.array(value.numpy()) for name, value in assistant.state_dict().items()}
    model.load_weights(list(model.sanitize(weights).items()))
    model.bind(None)
    donors = {kind: tuple(mx.array(array.numpy()) for array in pair) for kind, pair in row["donors"].items()}
    position = row["hidden_position"]
    model.set_shared_kv(donors, kv_offset=position + 1, position=position)
    token, hidden, logits = row["pending"], mx.array(row["hidden"].numpy()), []
    for _ in range(STEPS):
        embedded = mx.array(table(token).numpy())
        hidden, step = model(mx.concatenate([embedded, hidden], axis=-1), donors, mx.array([[position]]))
        token = torch.tensor(np.array(mx.argmax(step, axis=-1)), dtype=torch.long)
        logits.append(step[0, 0])
    return mx.stack(logits)


def read(target: Any, length: int, seed: int) -> dict[str, Any]:
    """A prompt's last hidden state, the token that follows it, and the keys and values of the target's donors."""
    token_ids = torch.randint(0, VOCABULARY, (1, length), generator=torch.Generator().manual_seed(seed))
    output = target(token_ids, use_cache=True, output_hidden_states=True, return_shared_kv_states=True)
    hidden = output.hidden_states[-1][:, -1:]
    return {
        "token_ids": token_ids,
        "pending": output.logits[:, -1:].argmax(-1),
        "hidden": hidden,
        "hidden_position": length - 1,
        "donors": dict(output.shared_kv_states),
    }


def main() -> None:
    arrays: dict[str, torch.Tensor] = {}
    configs: dict[str, str] = {}
    for place, window in WINDOWS.items():
        target = fill(Gemma4ForCausalLM(target_config(window)), 1)
        table = target.get_input_embeddings()
        arrays |= {f"target.{name}": value for name, value in target.state_dict().items() if "lm_head" not in name}
        configs[f"target.{place}"] = json.dumps(target.config.to_dict())
        rows = [read(target, length, seed) for seed, length in enumerate(LENGTHS)]
        for index, row in enumerate(rows):
            prefix = f"{place}.{index}"
            arrays[f"{prefix}.token_ids"] = torch.cat([row["token_ids"], row["pending"]], dim=1).int()
            arrays[f"{prefix}.hidden"] = row["hidden"]
            for kind, (keys, values) in row["donors"].items():
                arrays |= {f"{prefix}.{kind}.keys": keys, f"{prefix}.{kind}.values": values}
        for head, is_ordered in KINDS.items():
            assistant = fill(Gemma4AssistantForCausalLM(assistant_config(window - 1, is_ordered)), 2)
            names = {name: value for name, value in assistant.state_dict().items() if "lm_head" not in name}
            arrays |= {f"{head}.{name}": value for name, value in names.items()}
            configs[f"{head}.{place}"] = json.dumps(assistant_config(window, is_ordered).to_dict())
            for index, row in enumerate(rows):
                logits, hidden = draft(assistant, table, row)
                again = np.array(draft_again(assistant, window, table, row))
                print(place, head, index, "differ by", np.abs(logits.numpy() - again).max())
                assert np.allclose(logits.numpy(), again, atol=2e-5), "the references disagree"
                arrays |= {f"{head}.{place}.{index}.logits": logits, f"{head}.{place}.{index}.hidden": hidden}
    kept = {name: value.clone().contiguous() for name, value in arrays.items()}
    save_file(kept, Path(__file__).with_name("assistant.safetensors"), metadata=configs)


if __name__ == "__main__":
    mx.set_default_device(mx.cpu)
    with torch.no_grad():
        main()
