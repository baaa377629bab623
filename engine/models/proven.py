"""Model types whose rows may share a batch and be rewound: data, each entry proven by a test with a tiny model."""

from __future__ import annotations

from typing import Any

from engine.models.architecture import find_section

# Only plain KV caches in every layer; offsets only ever go to rope, so that each row may have its own.
FULL_ATTENTION: frozenset[str] = frozenset(
    (
        "apertus",
        "cohere",
        "ernie4_5",
        "exaone",
        "gemma",
        "glm",
        "glm4",
        "gpt_neox",
        "granite",
        "helium",
        "hunyuan_v1_dense",
        "internlm2",
        "iquestcoder",
        "llama",
        "mimo",
        "minicpm",
        "mistral",
        "mixtral",
        "nemotron",
        "olmo2",
        "olmoe",
        "phi",
        "phi3",
        "qwen2",
        "qwen2_moe",
        "qwen3",
        "qwen3_moe",
        "seed_oss",
        "smollm3",
        "stablelm",
        "starcoder2",
        "xverse",
    )
)

# Recurrent state in some layers or all of them, plain KV caches in the others.
RECURRENT: frozenset[str] = frozenset(
    (
        "falcon_h1",
        "falcon_mamba",
        "granitemoehybrid",
        "jamba",
        "lfm2",
        "lfm2_moe",
        "mamba",
        "mamba2",
        "nemotron_h",
        "olmo_hybrid",
        "qwen3_5",
        "qwen3_5_moe",
        "qwen3_next",
        "rwkv7",
    )
)

PROVEN = FULL_ATTENTION | RECURRENT

# What `layer_types` calls layers that keep everything, and those of RECURRENT beside them ("mlp", "moe": no state).
_KEEPS_ALL = frozenset(("full_attention",))
_RECURRENT_KINDS = frozenset(("attention", "conv", "linear_attention", "mamba", "mlp", "moe"))


def batch_refusal(config: dict[str, Any]) -> str:
    """Why rows of this model run alone and without a drafter, as a sentence; "" where they need not."""
    model_type = config.get("model_type")
    reason = ""
    layer_types = config.get("layer_types")
    kinds = _KEEPS_ALL | _RECURRENT_KINDS if model_type in RECURRENT else _KEEPS_ALL
    scaling = find_section(config, "rope_scaling", "rope_parameters")
    if model_type not in PROVEN:
        reason = "its caches are not proven to be shared and rewound"
    elif isinstance(layer_types, list) and not kinds.issuperset(layer_types):
        reason = "some of its layers do not attend to the whole context"
    elif (scaling.get("type") or scaling.get("rope_type")) == "dynamic":
        reason = "its dynamic rope scaling takes one position for all rows"
    return f"Replies of a {model_type!r} model run one at a time and without a drafter: {reason}." if reason else ""
