"""Families of models with native MTP heads: what a head's tensors are called and which shapes they have. No MLX.

A head is two norms, a projection of both their outputs, decoder layers of the target's own kind and a norm. Shapes are
given by the names of a checkpoint, without what stands before all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from engine.models.drafting.fields import MOST_PARTS, Fields, required_number
from engine.models.drafting.tensors import Shape

Config = dict[str, Any]
Shapes = dict[str, Shape]

_PROJECTIONS = ("gate_proj", "up_proj", "down_proj")
JOINED = "mlp.experts.gate_up_proj"  # the two halves of all experts in one tensor
STACKED = "mlp.switch_mlp"  # all experts of one projection in one tensor
SPLIT_KEYS, SPLIT_VALUES = "self_attn.embed_q", "self_attn.unembed_out"  # what becomes of
LATENT_PAIR = "self_attn.kv_b_proj"


@dataclass(frozen=True, slots=True)
class MtpFamily:
    """One model type whose checkpoints carry a head."""

    depth_field: str  # of the config: how many layers there are for it
    attention: Callable[[Config, Collection[str]], Shapes]  # by the config and the names that are there
    shared: str  # the expert that every token goes through
    is_zero_centred: bool = False  # norms are published as their difference to 1
    has_indexer: bool = False  # attention reads a few tokens only, which an indexer with keys of its own picks


@dataclass(frozen=True, slots=True)
class MtpLayout:
    """What stands before and between the names: in a whole model or in a folder of the head alone."""

    prefix: str  # of every tensor of the head
    layer: str  # of those of layer {}, behind the prefix
    outer: Mapping[str, str]  # our names of the tensors outside of layers, to theirs
    ignored: tuple[str, ...] = ()  # copies of the target's own, and what is computed anyway


_QWEN = {
    "eh_proj.weight": "fc.weight",
    "enorm.weight": "pre_fc_norm_embedding.weight",
    "hnorm.weight": "pre_fc_norm_hidden.weight",
    "norm.weight": "norm.weight",
}
_NEXT = {name: name for name in ("eh_proj.weight", "enorm.weight", "hnorm.weight")}
_COPIES = (r".*(embed_tokens|shared_head\.head|lm_head)\.(weight|scales|biases)", r".*rotary_emb\.inv_freq")
_SIDECARS = {
    "qwen3_5_mtp": MtpLayout("", "layers.{}.", _QWEN),
    "glm_moe_dsa_mtp": MtpLayout("mtp.", "", {**_NEXT, "norm.weight": "shared_head_norm.weight"}, _COPIES),
    "glm4_moe_lite_mtp": MtpLayout(
        "model.", "mtp_block.", {**_NEXT, "norm.weight": "shared_head_norm.weight"}, _COPIES
    ),
}
SIDECAR_TYPES = tuple(_SIDECARS)


def layout_of(model_type: str, family: MtpFamily, num_layers: int, names: Collection[str]) -> MtpLayout:
    """How the tensors of a folder are called; `model_type` is the one in its config, `num_layers` the target's."""
    if family.is_zero_centred:
        prefixes = ("mtp.", "language_model.mtp.")
        prefix = next((prefix for prefix in prefixes if any(name.startswith(prefix) for name in names)), None)
        return MtpLayout("" if model_type in _SIDECARS and prefix is None else prefix or "mtp.", "layers.{}.", _QWEN)
    whole = MtpLayout(f"model.layers.{num_layers}.", "", {**_NEXT, "norm.weight": "shared_head.norm.weight"}, _COPIES)
    return _SIDECARS.get(model_type, whole)


def layer_shapes(family: MtpFamily, config: Config, names: Collection[str]) -> Shapes:
    """Tensors of one decoder layer; of forms that can stand for each other the one that is there."""
    hidden = required_number(config, "hidden_size")
    norms = {f"{name}.weight": (hidden,) for name in ("input_layernorm", "post_attention_layernorm")}
    if "mlp.gate.weight" not in names:
        return (
            norms
            | family.attention(config, names)
            | _feed_forward("mlp", hidden, required_number(config, "intermediate_size"))
        )
    return norms | family.attention(config, names) | _experts(family, config, names)


def outer_shapes(config: Config) -> Shapes:
    """Tensors outside of layers, by our names."""
    hidden = required_number(config, "hidden_size")
    norms = dict.fromkeys(("enorm.weight", "hnorm.weight", "norm.weight"), (hidden,))
    return {"eh_proj.weight": (hidden, 2 * hidden), **norms}


def num_experts(config: Config) -> int:
    """Of a layer that has some."""
    fields = Fields(config)
    return fields.number("n_routed_experts" if fields.has("n_routed_experts") else "num_experts", most=MOST_PARTS)


def _feed_forward(path: str, hidden: int, size: int) -> Shapes:
    shapes = ((size, hidden), (size, hidden), (hidden, size))
    return {f"{path}.{name}.weight": shape for name, shape in zip(_PROJECTIONS, shapes, strict=True)}


def _experts(family: MtpFamily, config: Config, names: Collection[str]) -> Shapes:
    hidden, size, count = (
        required_number(config, "hidden_size"),
        required_number(config, "moe_intermediate_size"),
        num_experts(config),
    )
    shapes: Shapes = {"mlp.gate.weight": (count, hidden)}
    if family.shared == "shared_experts":
        shapes["mlp.gate.e_score_correction_bias"] = (count,)
        shared = Fields(config).optional_number("n_shared_experts", most=MOST_PARTS) * size
    else:
        shapes["mlp.shared_expert_gate.weight"] = (1, hidden)
        shared = required_number(config, "shared_expert_intermediate_size")
    if shared:
        shapes |= _feed_forward(f"mlp.{family.shared}", hidden, shared)
    if f"{STACKED}.gate_proj.weight" in names:
        return shapes | {name: (count, *shape) for name, shape in _feed_forward(STACKED, hidden, size).items()}
    if JOINED in names:
        return shapes | {JOINED: (count, 2 * size, hidden), "mlp.experts.down_proj": (count, hidden, size)}
    for expert in range(count):
        shapes |= _feed_forward(f"mlp.experts.{expert}", hidden, size)
    return shapes


def _attention(config: Config, names: Collection[str], num_queries: int = 1) -> Shapes:
    hidden, heads = required_number(config, "hidden_size"), required_number(config, "num_attention_heads")
    keys, size = required_number(config, "num_key_value_heads"), _head_size(config, hidden // heads)
    shapes: Shapes = {
        "self_attn.q_proj.weight": (num_queries * heads * size, hidden),
        "self_attn.k_proj.weight": (keys * size, hidden),
        "self_attn.v_proj.weight": (keys * size, hidden),
        "self_attn.o_proj.weight": (hidden, heads * size),
    }
    if Fields(config).flag("attention_bias"):
        biased = ("q_proj", "k_proj", "v_proj") if num_queries == 1 else ("q_proj", "k_proj", "v_proj", "o_proj")
        shapes |= {f"self_attn.{name}.bias": shapes[f"self_attn.{name}.weight"][:1] for name in biased}
    if Fields(config).flag("use_qk_norm"):
        shapes |= {f"self_attn.{name}.weight": (size,) for name in ("q_norm", "k_norm")}
    return shapes


def _head_size(config: Config, usual: int) -> int:
    fields = Fields(config)
    return fields.number("head_dim") if fields.has("head_dim") else usual


def _gated_attention(config: Config, names: Collection[str]) -> Shapes:
    """Each head's query comes with a gate of its output."""
    return _attention({**config, "use_qk_norm": True}, names, num_queries=2)


def _latent_attention(config: Config, names: Collection[str]) -> Shapes:
    hidden, heads = required_number(config, "hidden_size"), required_number(config, "num_attention_heads")
    latent, queries = required_number(config, "kv_lora_rank"), Fields(config).optional_number("q_lora_rank")
    turned, plain = required_number(config, "qk_rope_head_dim"), required_number(config, "qk_nope_head_dim")
    values = required_number(config, "v_head_dim")
    shapes: Shapes = {
        "self_attn.kv_a_proj_with_mqa.weight": (latent + turned, hidden),
        "self_attn.kv_a_layernorm.weight": (latent,),
        "self_attn.o_proj.weight": (hidden, heads * values),
    }
    if queries:
        shapes["self_attn.q_a_proj.weight"] = (queries, hidden)
        shapes["self_attn.q_a_layernorm.weight"] = (queries,)
    shapes[f"self_attn.q{'_b' if queries else ''}_proj.weight"] = (heads * (plain + turned), queries or hidden)
    if Fields(config).flag("attention_bias"):
        biased = ("kv_a_proj_with_mqa", "o_proj", "q_a_proj") if queries else ("kv_a_proj_with_mqa", "o_proj")
        shapes |= {f"self_attn.{name}.bias": shapes[f"self_attn.{name}.weight"][:1] for name in biased}
    if f"{SPLIT_KEYS}.weight" in names:
        split = {f"{SPLIT_KEYS}.weight": (heads, latent, plain), f"{SPLIT_VALUES}.weight": (heads, values, latent)}
        return shapes | split
    return {**shapes, f"{LATENT_PAIR}.weight": (heads * (plain + values), latent)}


def _picking_attention(config: Config, names: Collection[str]) -> Shapes:
    hidden, queries = required_number(config, "hidden_size"), required_number(config, "q_lora_rank")
    heads, size = required_number(config, "index_n_heads"), required_number(config, "index_head_dim")
    indexer = {
        "wq_b.weight": (heads * size, queries),
        "wk.weight": (size, hidden),
        "k_norm.weight": (size,),
        "k_norm.bias": (size,),
        "weights_proj.weight": (heads, hidden),
    }
    return _latent_attention(config, names) | {f"self_attn.indexer.{name}": shape for name, shape in indexer.items()}


_MTP_LAYERS, _NEXT_LAYERS = "mtp_num_hidden_layers", "num_nextn_predict_layers"
_QWEN_FAMILY = MtpFamily(_MTP_LAYERS, _gated_attention, "shared_expert", is_zero_centred=True)
_LATENT_FAMILY = MtpFamily(_NEXT_LAYERS, _latent_attention, "shared_experts")
FAMILIES: dict[str, MtpFamily] = {
    **dict.fromkeys(("qwen3_5", "qwen3_5_moe", "qwen3_next"), _QWEN_FAMILY),
    "glm4_moe": MtpFamily(_NEXT_LAYERS, _attention, "shared_experts"),
    **dict.fromkeys(("glm4_moe_lite", "deepseek_v3"), _LATENT_FAMILY),
    "glm_moe_dsa": MtpFamily(_NEXT_LAYERS, _picking_attention, "shared_experts", has_indexer=True),
}
