"""How much a row's state is, by what a config says of the layers; imports no MLX.

Numbers here are elements, not bytes: what they take depends on the type that the model computes in.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from engine.models.architecture import find_number, head_size, num_heads, num_layers
from engine.models.proven import PROVEN

RING_SPARE = 16  # tokens that a window's ring holds beside it, so that a verified proposal can be taken back
FULL, WINDOW, LINEAR, NONE = "full_attention", "sliding_attention", "linear_attention", "none"
_WITHOUT_ATTENTION = frozenset(("falcon_mamba", "mamba", "mamba2", "rwkv7"))


@dataclass(frozen=True, slots=True)
class StateSize:
    """What a row keeps of each token in layers that attend to everything, of each in a window, and once and for all."""

    per_token: int
    per_window_token: int = 0
    window: int = 0  # tokens
    fixed: int = 0

    @property
    def per_new_token(self) -> int:
        """What a token adds while no window is full."""
        return self.per_token + self.per_window_token

    def windowed(self, num_tokens: int) -> int:
        """What the rings hold of so many tokens."""
        return self.per_window_token * min(num_tokens, self.window + RING_SPARE)


def state_size(config: dict[str, Any]) -> StateSize:
    """Of a language model's config with its model_type; what the config does not tell of recurrent layers is 0."""
    kinds = Counter(layer_kinds(config))
    return StateSize(
        per_token=kinds[FULL] * (kept_by_full_attention(config) + 2 * find_number(config, "index_head_dim")),
        per_window_token=kinds[WINDOW] * _kept_by_attention(config),
        window=find_number(config, "sliding_window") if kinds[WINDOW] else 0,
        fixed=kinds[LINEAR] * _gated_delta(config) + num_layers(config) * _state_space(config),
    )


def layer_kinds(config: dict[str, Any]) -> list[str]:
    """The kind of each layer that keeps a state of its own; windows count only where our rows keep them as such."""
    named = config.get("layer_types")
    count = num_layers(config) or (len(named) if isinstance(named, list) else 0)
    count -= find_number(config, "num_kv_shared_layers")
    has_windows = WINDOW in PROVEN.get(str(config.get("model_type")), ()) and find_number(config, "sliding_window")
    kinds = _named_kinds(config, count) or _periodic_kinds(config, count)
    return [FULL if kind == WINDOW and not has_windows else kind for kind in kinds]


def _named_kinds(config: dict[str, Any], count: int) -> list[str]:
    named = config.get("layer_types")
    if not isinstance(named, list) or not named:
        return []
    return [_kind(str(name)) for name in named[:count]]


def _kind(name: str) -> str:
    if "linear" in name:
        return LINEAR
    return WINDOW if "sliding" in name else FULL if "attention" in name else NONE


def _periodic_kinds(config: dict[str, Any], count: int) -> list[str]:
    """Where the config names no kinds but says how often one comes."""
    if config.get("model_type") in _WITHOUT_ATTENTION:
        return [NONE] * count
    if isinstance(pattern := config.get("hybrid_override_pattern"), str):
        return [FULL if letter == "*" else NONE for letter in pattern[:count]]
    if isinstance(pattern := config.get("sliding_window_pattern"), str) and pattern:
        return [WINDOW if pattern[index % len(pattern)] == "L" else FULL for index in range(count)]
    for key, other in (("sliding_window_pattern", WINDOW), ("full_attention_interval", LINEAR)):
        if period := find_number(config, key):
            return [other if (index + 1) % period else FULL for index in range(count)]
    if period := find_number(config, "attn_layer_period"):
        offset = find_number(config, "attn_layer_offset")
        return [FULL if index % period == offset else NONE for index in range(count)]
    if config.get("model_type") == "gpt_oss":
        return [FULL if index % 2 else WINDOW for index in range(count)]
    return [FULL] * count


def _kept_by_attention(config: dict[str, Any]) -> int:
    kv_heads = find_number(config, "num_key_value_heads", "n_kv_heads", default=num_heads(config))
    return 2 * kv_heads * head_size(config)


def kept_by_full_attention(config: dict[str, Any]) -> int:
    """Of each token by one layer; latent attention keeps one vector for all heads, and some models give these layers
    other heads than windows."""
    if latent := find_number(config, "kv_lora_rank"):
        return latent + find_number(config, "qk_rope_head_dim")
    global_size = find_number(config, "global_head_dim")
    if not global_size:
        return _kept_by_attention(config)
    key = "num_global_key_value_heads" if config.get("attention_k_eq_v") else "num_key_value_heads"
    heads = find_number(config, key, "num_key_value_heads", default=num_heads(config))
    return 2 * heads * global_size


def _gated_delta(config: dict[str, Any]) -> int:
    """A gated delta layer's matrices and the inputs of its convolution."""
    keys = find_number(config, "linear_num_key_heads") * find_number(config, "linear_key_head_dim")
    values = find_number(config, "linear_num_value_heads") * find_number(config, "linear_value_head_dim")
    convolved = max(0, find_number(config, "linear_conv_kernel_dim") - 1) * (2 * keys + values)
    return values * find_number(config, "linear_key_head_dim") + convolved


def _state_space(config: dict[str, Any]) -> int:
    """A state-space mixer's state, where every layer has one beside its attention."""
    heads = find_number(config, "mamba_n_heads") * find_number(config, "mamba_d_head")
    return heads * find_number(config, "mamba_d_state") if config.get("model_type") == "falcon_h1" else 0
