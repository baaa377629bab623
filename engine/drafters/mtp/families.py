"""The decoder layers of native MTP heads: those of mlx-lm's models, built for a head's place."""

from __future__ import annotations

import mlx.nn as nn
from mlx_lm.models import deepseek_v3, deepseek_v32, glm4_moe, glm4_moe_lite, glm_moe_dsa, qwen3_5, qwen3_next
from mlx_lm.models.cache import CacheList, KVCache

from engine.models.drafting.mtp import MtpSpec
from engine.models.errors import DrafterError

# Model type to mlx-lm's arguments and layer; the same as FAMILIES of engine/models/drafting/mtp_families.py.
LAYERS = {
    "deepseek_v3": (deepseek_v3.ModelArgs, deepseek_v3.DeepseekV3DecoderLayer),
    "glm4_moe": (glm4_moe.ModelArgs, glm4_moe.DecoderLayer),
    "glm4_moe_lite": (glm4_moe_lite.ModelArgs, glm4_moe_lite.Glm4MoeLiteDecoderLayer),
    "glm_moe_dsa": (glm_moe_dsa.ModelArgs, deepseek_v32.DeepseekV32DecoderLayer),
    "qwen3_5": (qwen3_5.TextModelArgs, qwen3_5.DecoderLayer),
    "qwen3_5_moe": (qwen3_5.TextModelArgs, qwen3_5.DecoderLayer),
    "qwen3_next": (qwen3_next.ModelArgs, qwen3_next.Qwen3NextDecoderLayer),
}


def open_layers(spec: MtpSpec) -> list[nn.Module]:
    """The head's layers, which attend to every token and have experts where the checkpoint does."""
    arguments_class, layer_class = LAYERS[spec.model_type]
    config = {name: dict(value) if isinstance(value, dict) else value for name, value in spec.config.items()}
    try:
        arguments = arguments_class.from_dict(config | _in_place(spec))
    except (TypeError, KeyError) as error:
        raise DrafterError(
            f"config.json of {spec.name!r} does not describe a layer of the type {spec.model_type!r}: {error}; "
            "download the drafter again"
        ) from error
    return [layer_class(arguments, 0) for _ in range(spec.num_layers)]


def open_caches(spec: MtpSpec) -> list[KVCache | CacheList]:
    """Caches that tell what state a layer has; an indexer's keys stand beside those of attention."""
    kinds = (CacheList(KVCache(), KVCache()) if spec.has_indexer else KVCache() for _ in range(spec.num_layers))
    return list(kinds)


def _in_place(spec: MtpSpec) -> dict[str, object]:
    """What makes layer 0 of mlx-lm's kind the layer that the head has: where others come in between does not count."""
    return {
        "full_attention_interval": 1,
        "first_k_dense_replace": 0 if spec.has_experts else 1,
        "moe_layer_freq": 1,
        "num_experts": spec.config.get("num_experts", 0) if spec.has_experts else 0,
        "mlp_only_layers": [],
        "decoder_sparse_step": 1,
    }
