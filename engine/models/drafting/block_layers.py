"""The layers of a block drafter as its config describes them. No MLX."""

from __future__ import annotations

from engine.models.drafting.block_config import BlockConfig, Packaging
from engine.models.drafting.block_spec import LayerShape, Reach
from engine.models.drafting.fields import MOST_PARTS, Fields
from engine.models.drafting.gemma import FullLayer, read_full_layer
from engine.models.drafting.rotary import FULL, read_rotary

_SLIDING = "sliding_attention"


def read_layers(config: BlockConfig) -> LayerShape:
    """DrafterError names the field that is missing or cannot be computed."""
    fields, is_gemma = config.fields, config.architecture == "Gemma4DSparkModel"
    activation, needed = ("hidden_activation", "gelu_pytorch_tanh") if is_gemma else ("hidden_act", "silu")
    fields.choice(activation, (needed,), needed)
    kinds = _read_kinds(config)
    shared = read_full_layer(fields, kinds) if is_gemma else _plain_layer(fields)
    return LayerShape(
        is_gemma=is_gemma,
        reaches=_read_reaches(config, kinds),
        intermediate_size=fields.number("intermediate_size"),
        num_heads=fields.number("num_attention_heads", most=MOST_PARTS),
        num_kv_heads=shared.num_kv_heads,
        head_size=shared.head_size,
        norm_eps=fields.real("rms_norm_eps", 1e-6),
        rotary=read_rotary(fields, shared.head_size, sorted(set(kinds))),
        has_bias=fields.flag("attention_bias"),
        shares_values=is_gemma and fields.flag("attention_k_eq_v"),
    )


def _plain_layer(fields: Fields) -> FullLayer:
    usual = fields.number("hidden_size") // fields.number("num_attention_heads", most=MOST_PARTS)
    return FullLayer(
        num_kv_heads=fields.number("num_key_value_heads", most=MOST_PARTS),
        head_size=fields.optional_number("head_dim", usual, most=MOST_PARTS),
    )


def _read_kinds(config: BlockConfig) -> tuple[str, ...]:
    """Of every layer."""
    num_layers = config.fields.number("num_hidden_layers", most=MOST_PARTS)
    kinds = config.fields.values.get("layer_types") or [FULL] * num_layers
    known = (FULL,) if config.packaging is Packaging.DEEPSPEC else (FULL, _SLIDING)
    if not isinstance(kinds, list) or len(kinds) != num_layers or not set(map(str, kinds)) <= set(known):
        raise config.fields.fault("layer_types", f"{num_layers} times {' or '.join(map(repr, known))}")
    return tuple(kinds)


def _read_reaches(config: BlockConfig, kinds: tuple[str, ...]) -> tuple[Reach, ...]:
    window = config.fields.number("sliding_window") if _SLIDING in kinds else None
    if window is not None and window < config.fields.number("block_size"):
        raise config.fields.fault("sliding_window", "a window that holds the block")
    return tuple(
        Reach(window if kind == _SLIDING else None, _is_causal(config, is_sliding=kind == _SLIDING)) for kind in kinds
    )


def _is_causal(config: BlockConfig, is_sliding: bool) -> bool:
    """Whether a position attends to no later one of its block: in sliding layers, unless the config says otherwise.

    Where a file of speculators is silent, its own version 0.9 takes sliding layers for causal, with which such drafters
    are trained. vLLM takes them for the opposite, which is right for conversions of z-lab's that say nothing.
    """
    if config.packaging is Packaging.SPECULATORS:
        return is_sliding and not config.fields.flag("sliding_window_non_causal")
    return config.fields.flag("is_causal", is_sliding)
