"""Gemma 4's full layers by a drafter's config, as transformers has written it before version 5.24 and since. No MLX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.models.drafting.fields import MOST_PARTS, Fields
from engine.models.drafting.rotary import FULL

TEXT_TYPES = ("gemma4_text", "gemma4_unified_text")

_HEAD_SIZE = 512  # by transformers' and mlx-lm's default


@dataclass(frozen=True, slots=True)
class FullLayer:
    """What its full layers have in common, and its other layers have otherwise."""

    num_kv_heads: int
    head_size: int


def read_full_layer(fields: Fields, layer_kinds: Sequence[str]) -> FullLayer:
    """`layer_kinds`: of every layer of the drafter. Raises DrafterError.

    Later files have no `global_…` fields but a section for each layer that differs; DeepSpec's drafters keep those of
    their target, whose layers have other indices.
    """
    by_layer = fields.section("per_layer_config")
    own = [str(index) for index, kind in enumerate(layer_kinds) if kind == FULL and by_layer.has(str(index))]
    found = {_sizes(by_layer.section(index)) for index in own or by_layer.values}
    if len(found) > 1:
        raise fields.fault("per_layer_config", "the same for all full layers")
    num_kv_heads, size = found.pop() if found else (0, 0)
    if fields.flag("attention_k_eq_v", bool(num_kv_heads)):
        num_kv_heads = fields.optional_number("num_global_key_value_heads", num_kv_heads, most=MOST_PARTS)
    else:
        num_kv_heads = 0
    size = fields.optional_number("global_head_dim", size, most=MOST_PARTS)
    if not size:
        size = fields.number("head_dim", most=MOST_PARTS) if by_layer.values else _HEAD_SIZE
    return FullLayer(num_kv_heads or fields.number("num_key_value_heads", most=MOST_PARTS), size)


def _sizes(section: Fields) -> tuple[int, int]:
    """Heads of keys and numbers in a head; 0 where these are as in other layers."""
    return (
        section.optional_number("num_key_value_heads", most=MOST_PARTS),
        section.optional_number("head_dim", most=MOST_PARTS),
    )
