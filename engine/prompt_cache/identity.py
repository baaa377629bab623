"""What a stream of states depends on: two states of one identity can stand for each other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from importlib.metadata import version

from engine.messages import KvScheme, ModelFacts
from engine.models.fingerprint import Content
from engine.prompt_cache.entries import Stream

LAYOUT_VERSION = 1  # of what the arrays mean and in which order they stand


def stream_of(kind: str, facts: ModelFacts, content: Content, kv: KvScheme) -> Stream:
    """The stream of a model's states; `kind` is "target" or "drafter".

    The model's name and folder are for people: a folder that was moved keeps its states. mlx-lm's version counts since
    a corrected model computes other states from the same weights.
    """
    depends_on = {
        "kind": kind,
        "weights": content.fingerprint,
        "tokenizer": facts.tokenizer_id,
        "numbers": content.number_type,
        "kv": f"{kv.bits} bits, groups of {kv.group_size}, from {kv.start}" if kv.bits else "unquantised",
        "adapter": "",
        "codec": "",
        "version": f"{LAYOUT_VERSION}, mlx-lm {version('mlx-lm')}",
    }
    return Stream(_identity(depends_on), (("model", facts.name), *depends_on.items()))


def companion_stream(name: str, content: Content) -> Stream:
    """The stream of a drafter's states by its own files; what it reads of its target is joined where a row is known."""
    depends_on = {
        "kind": "companion",
        "weights": content.fingerprint,
        "numbers": content.number_type,
        "version": f"{LAYOUT_VERSION}, mlx-lm {version('mlx-lm')}",
    }
    return Stream(_identity(depends_on), (("model", name), *depends_on.items()))


def beside(target: Stream, companion: Stream) -> Stream:
    """A drafter's stream where its states depend on those of a target, its KV scheme too."""
    identity = _identity({"target": target.identity, "companion": companion.identity})
    return Stream(identity, (*companion.facts, ("target", target.identity)))


def _identity(depends_on: Mapping[str, str]) -> str:
    return blake2b(json.dumps(depends_on, sort_keys=True).encode(), digest_size=16).hexdigest()
