"""Rotary positions as a config describes them, in the words of older and of later files. No MLX.

Source: transformers 5.24, modeling_rope_utils.py, with which most drafters are trained. Speeds are computed here since
mlx-lm rounds the range of YaRN whatever `truncate` says, and knows no `attention_factor`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.models.drafting.fields import MOST_PARTS, Fields

FULL = "full_attention"

_PLAIN = ("default", "mrope")  # mrope counts text as the default does
_PROPORTIONAL, _YARN = "proportional", "yarn"
_LEAST, _MOST = 1e-6, 1e12  # of every number that speeds are computed from

Speeds = tuple[float, ...]  # radians a token, of each pair of a head's numbers; 0.0 for one that stands


@dataclass(frozen=True, slots=True)
class Rotary:
    """Which of a head's numbers turn, and how fast."""

    num_dims: int  # the first of a head, two to a pair
    speeds: Speeds
    magnitude: float = 1.0  # what the numbers of all pairs are multiplied by
    is_interleaved: bool = False  # a pair is of neighbours; else of the same place in both halves


def read_rotary(
    fields: Fields, head_size: int, layer_kinds: Sequence[str] = (FULL,), usual_base: float | None = None
) -> Rotary:
    """The rotation that all of these kinds of layers share; DrafterError names the field that is not known.

    `usual_base` stands for a base that the config does not name; without it, it must.
    """
    first, *others = [_read_kind(fields, head_size, kind, usual_base) for kind in layer_kinds]
    if any(other != first for other in others):
        raise fields.fault("rope_parameters", "the same for all kinds of layers")
    return first


def _read_kind(fields: Fields, head_size: int, layer_kind: str, usual_base: float | None) -> Rotary:
    own = _parameters(fields, layer_kind)
    named = "rope_type" if own.has("rope_type") else "type"
    kind = own.choice(named, (*_PLAIN, _PROPORTIONAL, *_SCALED), _PLAIN[0])
    num_dims = _num_dims(own, head_size, kind)
    speeds = _plain_speeds(num_dims, _number(own, "rope_theta", usual_base))
    if kind == _PROPORTIONAL:
        speeds = _proportional(own, speeds)
    elif kind not in _PLAIN:
        speeds = _SCALED[kind](own, speeds)
    magnitude = _yarn_magnitude(own) if kind == _YARN else 1.0
    return Rotary(num_dims, speeds, magnitude, is_interleaved=not fields.flag("rope_is_neox_style", True))


def _parameters(fields: Fields, layer_kind: str) -> Fields:
    """Of one kind of layer, with what the config says beside them; an older file's `rope_scaling` goes first."""
    older, later = fields.section("rope_scaling"), fields.section("rope_parameters")
    general = older if older.values else later
    own = general.section(layer_kind) if general.has(layer_kind) else general
    beside = {name: later.values.get(name) for name in ("rope_theta",)} | {
        name: fields.values[name] for name in ("rope_theta", "partial_rotary_factor") if fields.has(name)
    }
    length = "original_max_position_embeddings"
    beside[length] = fields.values.get(length) or fields.values.get("max_position_embeddings")
    stated = {name: value for name, value in own.values.items() if value is not None}
    return Fields({"max_position_embeddings": fields.values.get("max_position_embeddings"), **beside, **stated})


def _num_dims(own: Fields, head_size: int, kind: str) -> int:
    """Plain rotation turns all, whatever share a config has from its target; a proportional share is in the speeds."""
    share = 1.0 if kind in (*_PLAIN, _PROPORTIONAL) else _share(own)
    num_dims = int(head_size * share)
    if num_dims % 2 or not 0 < num_dims <= MOST_PARTS:
        raise own.fault("partial_rotary_factor", f"a share of heads of {head_size:,} numbers that makes whole pairs")
    return num_dims


def _plain_speeds(num_dims: int, base: float) -> Speeds:
    return tuple(base ** (-dim / num_dims) for dim in range(0, num_dims, 2))


def _proportional(own: Fields, speeds: Speeds) -> Speeds:
    """As Gemma 4 has it: some of the pairs turn as if all of them did, and the others stand."""
    factor, num_turning = _number(own, "factor", 1.0), int(_share(own) * len(speeds))
    return tuple(speed / factor if pair < num_turning else 0.0 for pair, speed in enumerate(speeds))


def _linear(own: Fields, speeds: Speeds) -> Speeds:
    factor = _number(own, "factor")
    return tuple(speed / factor for speed in speeds)


def _llama3(own: Fields, speeds: Speeds) -> Speeds:
    """Pairs that turn often within the original length keep their speed, the slowest are slowed, between is smooth."""
    factor, length = _number(own, "factor"), _number(own, "original_max_position_embeddings")
    low, high = _number(own, "low_freq_factor"), _number(own, "high_freq_factor")
    if low >= high:
        raise own.fault("low_freq_factor", f"below high_freq_factor, {high}")
    return tuple(_between(speed / factor, speed, (length * speed / math.tau - low) / (high - low)) for speed in speeds)


def _yarn(own: Fields, speeds: Speeds) -> Speeds:
    """Source: Peng et al. 2023, arXiv:2309.00071. The range in which speeds pass over may fall between two pairs."""
    base, length = _number(own, "rope_theta"), _number(own, "original_max_position_embeddings")
    fast, slow = _number(own, "beta_fast", 32.0), _number(own, "beta_slow", 1.0)
    num_dims, factor = 2 * len(speeds), _yarn_factor(own)
    first, last = (num_dims * math.log(length / (turns * math.tau)) / (2 * math.log(base)) for turns in (fast, slow))
    if own.flag("truncate", True):
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, num_dims - 1)
    width = last - first or 0.001  # as transformers has it
    return tuple(_between(speed, speed / factor, (pair - first) / width) for pair, speed in enumerate(speeds))


def _yarn_magnitude(own: Fields) -> float:
    """What sharpens attention over a stretched context."""
    if own.has("attention_factor"):
        return _number(own, "attention_factor")
    factor = _yarn_factor(own)
    mscale, of_all = (own.values.get(name) for name in ("mscale", "mscale_all_dim"))
    if mscale and of_all:
        return _stretch(factor, _number(own, "mscale")) / _stretch(factor, _number(own, "mscale_all_dim"))
    return _stretch(factor)


def _yarn_factor(own: Fields) -> float:
    if own.has("factor"):
        return _number(own, "factor")
    return _number(own, "max_position_embeddings") / _number(own, "original_max_position_embeddings")


def _stretch(factor: float, scale: float = 1.0) -> float:
    return 1.0 if factor <= 1 else 0.1 * scale * math.log(factor) + 1.0


_SCALED: dict[str, Callable[[Fields, Speeds], Speeds]] = {"linear": _linear, "llama3": _llama3, _YARN: _yarn}


def _between(first: float, second: float, share: float) -> float:
    share = min(max(share, 0.0), 1.0)
    return first + (second - first) * share


def _share(own: Fields) -> float:
    share = own.real("partial_rotary_factor", 1.0)
    if share > 1:
        raise own.fault("partial_rotary_factor", "a share of a head, no more than 1")
    return share


def _number(own: Fields, name: str, default: float | None = None) -> float:
    value = own.real(name, default)
    if not (1 if name == "rope_theta" else 0) < value or not _LEAST <= value <= _MOST:
        raise own.fault(name, f"a number from {_LEAST} to {_MOST}, of 'rope_theta' above 1")
    return value
