"""How a reply was sampled, as plain values to be kept with it; its seed and temperature are kept on their own."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from engine.messages import Grammar, Sampling

_ELSEWHERE = ("temperature", "seed", "num_logprobs")
_NAMES = tuple(one.name for one in fields(Sampling) if one.name not in _ELSEWHERE)
PLAIN = Sampling()


def rules_of(sampling: Sampling) -> Sampling:
    """What is kept of it here."""
    return replace(sampling, **{name: getattr(PLAIN, name) for name in _ELSEWHERE})


def encode_rules(rules: Sampling) -> dict[str, Any]:
    """What differs from the defaults, under its names."""
    values = {name: getattr(rules, name) for name in _NAMES if getattr(rules, name) != getattr(PLAIN, name)}
    if rules.grammar is not None:
        values["grammar"] = [rules.grammar.kind, rules.grammar.text]
    return values


def decode_rules(values: Any) -> Sampling:
    """Raises TypeError or ValueError where they make no sense; names that are not known are skipped."""
    if not isinstance(values, dict):
        raise TypeError("rules are no object")
    return replace(PLAIN, **{name: _decode(name, values[name]) for name in _NAMES if name in values})


def _decode(name: str, value: Any) -> Any:
    match name, value:
        case "stops", list() if all(isinstance(stop, str) for stop in value):
            return tuple(value)
        case "logit_bias", list():
            return tuple((int(token_id), float(bias)) for token_id, bias in value)
        case "grammar", [str(kind), str(text)]:
            return Grammar(kind, text)
        case (("max_tokens" | "top_k" | "penalty_window"), int()) if not isinstance(value, bool):
            return value
        case _, int() | float() if isinstance(getattr(PLAIN, name), float):
            return float(value)
    raise ValueError(f"{name} is {value!r}")
