"""Rotary positions as a config describes them, in the words of older and of later files. No MLX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.models.architecture import find_number, find_section
from engine.models.errors import DrafterError

_USUAL_BASE = 10_000.0
_KINDS = ("default", "linear", "llama3", "yarn", "proportional", "mrope")  # mrope counts text as the default does


@dataclass(frozen=True, slots=True)
class Rotary:
    """Which of a head's numbers turn, and how fast."""

    num_dims: int
    base: float
    scaling: Mapping[str, Any]  # "rope_type" and what belongs to it; empty for plain rotation
    context_length: int


def read_rotary(config: dict[str, Any], head_size: int, layer_kind: str = "full_attention") -> Rotary:
    """Raise DrafterError for a way of scaling that is not known; `layer_kind` picks where each kind has its own."""
    parameters = find_section(config, "rope_parameters")
    own = find_section(parameters, layer_kind) or parameters
    scaling = own if own.get("rope_type") else find_section(config, "rope_scaling")
    kind = str(scaling.get("rope_type") or scaling.get("type") or "default")
    if kind not in _KINDS or scaling.get("truncate") is False:
        raise DrafterError(
            f"the drafter scales its rotary positions by {dict(scaling)!r}, which is not one of: {', '.join(_KINDS)}; "
            "choose another drafter"
        )
    return Rotary(
        num_dims=int(head_size * _turning_share(own, kind)),
        base=_float(own.get("rope_theta"), config.get("rope_theta"), _USUAL_BASE),
        scaling={} if kind in ("default", "mrope") else {**_original_length(config), **scaling, "rope_type": kind},
        context_length=find_number(config, "max_position_embeddings"),
    )


def _turning_share(parameters: dict[str, Any], kind: str) -> float:
    """Of a head's numbers: transformers' plain rotation turns all, whatever share a config has from its target.

    Of what Gemma 4 calls proportional the share is in the frequencies.
    """
    return 1.0 if kind in ("default", "mrope", "proportional") else _float(parameters.get("partial_rotary_factor"), 1.0)


def _original_length(config: dict[str, Any]) -> dict[str, int]:
    """The length before scaling is the config's own where the scaling does not say."""
    length = find_number(config, "max_position_embeddings")
    return {"original_max_position_embeddings": length} if length else {}


def _float(*values: Any) -> float:
    return next(float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool))
