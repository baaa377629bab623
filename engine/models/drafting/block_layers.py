"""The layers of a block drafter as its config describes them. No MLX."""

from __future__ import annotations

from engine.models.architecture import find_section
from engine.models.drafting.block_config import BlockConfig, Packaging
from engine.models.drafting.block_spec import LayerShape, Reach, Rope

_FULL, _SLIDING = "full_attention", "sliding_attention"
_ROPE_TYPES = ("default", "linear", "llama3", "yarn")
_GEMMA_ROPE_TYPES = ("default", "proportional")


def read_layers(config: BlockConfig) -> LayerShape:
    """DrafterError names the field that is missing or cannot be computed."""
    is_gemma = config.architecture == "Gemma4DSparkModel"
    if is_gemma:
        config.choice("hidden_activation", ("gelu_pytorch_tanh",), "gelu_pytorch_tanh")
    else:
        config.choice("hidden_act", ("silu",), "silu")
    shares_values = is_gemma and config.flag("attention_k_eq_v")
    num_heads = config.number("num_attention_heads")
    return LayerShape(
        is_gemma=is_gemma,
        reaches=_read_reaches(config),
        intermediate_size=config.number("intermediate_size"),
        num_heads=num_heads,
        num_kv_heads=config.number("num_global_key_value_heads" if shares_values else "num_key_value_heads"),
        head_size=_head_size(config, num_heads, is_gemma),
        norm_eps=config.real("rms_norm_eps", 1e-6),
        rope=_read_rope(config, is_gemma),
        has_bias=config.flag("attention_bias"),
        shares_values=shares_values,
    )


def _head_size(config: BlockConfig, num_heads: int, is_gemma: bool) -> int:
    if is_gemma:
        return config.number("global_head_dim")
    return config.number("head_dim") if config.fields.get("head_dim") else config.number("hidden_size") // num_heads


def _read_reaches(config: BlockConfig) -> tuple[Reach, ...]:
    num_layers = config.number("num_hidden_layers")
    kinds = config.fields.get("layer_types") or [_FULL] * num_layers
    known = (_FULL,) if config.packaging is Packaging.DEEPSPEC else (_FULL, _SLIDING)
    if not isinstance(kinds, list) or len(kinds) != num_layers or not set(map(str, kinds)) <= set(known):
        raise config.fault("layer_types", f"{num_layers} times {' or '.join(map(repr, known))}")
    window = config.number("sliding_window") if _SLIDING in kinds else None
    if window is not None and window < config.number("block_size"):
        raise config.fault("sliding_window", "a window that holds the block")
    return tuple(
        Reach(window if kind == _SLIDING else None, _is_causal(config, is_sliding=kind == _SLIDING)) for kind in kinds
    )


def _is_causal(config: BlockConfig, is_sliding: bool) -> bool:
    """Whether a position attends to no later one of its block: in sliding layers, unless the config says otherwise."""
    if config.packaging is Packaging.SPECULATORS:
        return is_sliding and not config.flag("sliding_window_non_causal")
    return config.flag("is_causal", is_sliding)


def _read_rope(config: BlockConfig, is_gemma: bool) -> Rope:
    """All of a head turns, but for Gemma's: Qwen 3's layers make nothing of a `partial_rotary_factor` they inherit."""
    section = find_section(config.fields, "rope_parameters", "rope_scaling")
    if is_gemma:
        section = find_section(section, _FULL)
    theta = section.get("rope_theta", config.fields.get("rope_theta"))
    if theta is None:
        raise config.fault("rope_theta", "a number above 0")
    kind = str(section.get("rope_type") or section.get("type") or "default")
    known = _GEMMA_ROPE_TYPES if is_gemma else _ROPE_TYPES
    if kind not in known:
        raise config.fault("rope_type", " or ".join(map(repr, known)), kind)
    if section.get("truncate") is False or section.get("attention_factor"):
        raise config.fault("rope_parameters", "YaRN without 'truncate' and 'attention_factor'", dict(section))
    return Rope(
        theta=config.as_real("rope_theta", theta),
        scaling={} if kind == "default" else section | {"rope_type": kind},
        is_interleaved=not config.flag("rope_is_neox_style", True),
    )
