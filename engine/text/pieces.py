"""The bytes that each token stands for, worked out from a tokenizer's decoder."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, replace
from typing import Any

import tokenizers


@dataclass(frozen=True, slots=True)
class PieceRules:
    """How a token's name becomes bytes; `hidden_spaces` is how many spaces at the start of a text are not shown."""

    is_byte_level: bool = False
    has_byte_tokens: bool = False
    replacements: tuple[tuple[str, str], ...] = ()
    hidden_spaces: int = 0


def read_rules(backend: tokenizers.Tokenizer) -> PieceRules | None:
    """Read the rules of a decoder; None where a token's bytes depend on its neighbours."""
    if backend.decoder is None:
        return None
    state = json.loads(backend.decoder.__getstate__())
    rules: PieceRules | None = PieceRules()
    for step in state["decoders"] if state["type"] == "Sequence" else [state]:
        rules = None if rules is None else _with_step(rules, step)
    is_mixed = rules is not None and rules.is_byte_level and rules != PieceRules(is_byte_level=True)
    return None if is_mixed else rules


def _with_step(rules: PieceRules, step: dict[str, Any]) -> PieceRules | None:
    match step:
        case {"type": "ByteLevel"}:
            return replace(rules, is_byte_level=True)
        case {"type": "ByteFallback"}:
            return replace(rules, has_byte_tokens=True)
        case {"type": "Fuse"}:
            return rules
        case {"type": "Replace", "pattern": {"String": str(old)}, "content": str(new)}:
            return replace(rules, replacements=(*rules.replacements, (old, new)))
        case {"type": "Metaspace", "replacement": str(mark)}:
            hidden = 0 if step.get("prepend_scheme", "always") == "never" else 1_000
            return replace(rules, replacements=(*rules.replacements, (mark, " ")), hidden_spaces=hidden)
        case {"type": "Strip", "content": " ", "start": int(start), "stop": 0}:
            return replace(rules, hidden_spaces=start)
    return None


def token_bytes(rules: PieceRules, name: str) -> bytes:
    """Turn a token's name into the bytes that it adds to a text."""
    if rules.is_byte_level:
        table = _byte_of_character()
        if all(character in table for character in name):
            return bytes(table[character] for character in name)
        return name.encode()
    if rules.has_byte_tokens and len(name) == 6 and name.startswith("<0x") and name.endswith(">"):
        return bytes([int(name[3:5], 16)])
    for old, new in rules.replacements:
        name = name.replace(old, new)
    return name.encode()


@functools.cache
def _byte_of_character() -> dict[str, int]:
    """The printable stand-ins for bytes that GPT-2 introduced (openai/gpt-2, src/encoder.py)."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + index): byte for index, byte in enumerate(others)}
