"""Model types whose rows may share a batch and be rewound: data, each entry proven by a test with a tiny model."""

from __future__ import annotations

from typing import Any

from engine.models.architecture import find_section, head_size

_FULL = frozenset(("full_attention",))
_MIXED = frozenset(("full_attention", "sliding_attention"))
_RECURRENT = frozenset(("attention", "conv", "full_attention", "linear_attention", "mamba", "mlp", "moe"))

# Model type to the kinds of layers that it is proven with, as `layer_types` calls them ("mlp", "moe": no state).
# Offsets only ever go to rope, so that each row may have its own.
PROVEN: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        (
            "apertus",
            "cohere",
            "deepseek_v3",
            "ernie4_5",
            "exaone",
            "gemma",
            "glm",
            "glm4",
            "glm4_moe",
            "glm4_moe_lite",
            "glm_moe_dsa",
            "gpt_neox",
            "granite",
            "helium",
            "hunyuan_v1_dense",
            "internlm2",
            "kimi_k2",
            "mimo",
            "minicpm",
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
        ),
        _FULL,
    ),
    **dict.fromkeys(
        (
            "cohere2",
            "exaone4",
            "gemma3",
            "gemma3_text",
            "gemma4",
            "gemma4_text",
            "gemma4_unified",
            "gpt_oss",
            "iquestcoder",
            "llama",
            "mistral",
            "olmo3",
            "xverse",
        ),
        _MIXED,
    ),
    **dict.fromkeys(
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
        ),
        _RECURRENT,
    ),
}

# Proven types whose attention mlx-lm cannot run with quantised keys and values.
UNQUANTISED_ONLY: dict[str, str] = {
    **dict.fromkeys(
        ("deepseek_v3", "glm4_moe_lite", "glm_moe_dsa", "kimi_k2", "phi", "stablelm"),
        "its attention computes with plain keys",
    ),
    **dict.fromkeys(("gemma4", "gemma4_text", "gemma4_unified"), "some of its layers read the keys of others"),
    "gpt_oss": "quantised attention has no sinks",
}


def batch_refusal(config: dict[str, Any]) -> str:
    """Why rows of this model run alone and without a drafter, as a sentence; "" where they need not."""
    model_type = config.get("model_type")
    reason = ""
    layer_types = config.get("layer_types")
    kinds = layer_types if isinstance(layer_types, list) else []
    if model_type not in PROVEN:
        reason = "its caches are not proven to be shared and rewound"
    elif unproven := [kind for kind in kinds if str(kind) not in PROVEN[model_type]]:
        reason = f"its layers of the kind {unproven[0]!r} are not proven to be shared and rewound"
    elif "dynamic" in _rope_types(config):
        reason = "its dynamic rope scaling takes one position for all rows"
    return f"Replies of a {model_type!r} model run one at a time and without a drafter: {reason}." if reason else ""


def why_unquantised(config: dict[str, Any], group_size: int) -> str:
    """Why this model's keys and values cannot be quantised in such groups, as a sentence; "" where they can."""
    model_type = str(config.get("model_type"))
    size = head_size(config)
    reason = UNQUANTISED_ONLY.get(model_type, "")
    if batch_refusal(config):
        reason = "it is not proven with rows of a batch"
    elif not reason and size % group_size:
        reason = f"its heads hold {size:,} numbers, which are no whole groups of {group_size}"
    return (
        f"The KV cache of a {model_type!r} model cannot be quantised: {reason}. It is kept unquantised."
        if reason
        else ""
    )


def _rope_types(config: dict[str, Any]) -> list[Any]:
    """Kinds of rope scaling; some models have one for each kind of layer."""
    scaling = find_section(config, "rope_scaling", "rope_parameters")
    sections = [scaling, *(section for section in scaling.values() if isinstance(section, dict))]
    return [section.get("type") or section.get("rope_type") for section in sections]
