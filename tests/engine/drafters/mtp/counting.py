"""Targets that count: the next token is the letter after the last, whatever came before, and heads that know it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx

from tests.engine.drafters.tiny_mtp import MTP_TARGETS, centre_of_norms, published_names, tiny_mtp
from tests.engine.tiny import tiny_folder

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # more than a reply has tokens: nothing is repeated
HIDDEN = 64  # more than there are tokens, so that each can have logits of its own
_SILENT = ("o_proj.weight", "out_proj.weight", "down_proj.weight")  # the last matrix of each part of a layer
_EPSILON = 1e-5


def counting_target(folder: Path, model_type: str) -> Path:
    """A tiny target whose layers add nothing, and whose head takes each token to the next one.

    Its final norm turns and stretches so much that hidden states before and after it have little in common.
    """
    shape = {"hidden_size": HIDDEN, "num_attention_heads": 4, "head_dim": 16}
    tiny_folder(folder, model_type, letters=LETTERS, **{**shape, **MTP_TARGETS[model_type]})
    weights = {name: _silent(name, array) for name, array in _load(folder).items()}
    start = _start(weights)
    weights[f"{start}model.norm.weight"] = mx.random.normal((HIDDEN,), key=mx.random.key(3))
    _, hidden = _states(weights)
    weights[f"{start}lm_head.weight"] = 20 * _following(mx.eye(len(hidden))).T @ _inverse(hidden.T)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
    return folder


def counting_head(folder: Path, target: Path, reads: str, **changes: Any) -> Path:
    """A head that knows the next letter from each pair's "token", or from its "hidden" state alone."""
    weights = _load(target)
    embedding, hidden = _states(weights)
    names = published_names(target)
    taken = _following(embedding).T @ _inverse(_normed(hidden).T) if reads == "hidden" else mx.eye(HIDDEN)
    left = mx.zeros_like(taken)
    centre = centre_of_norms(target)
    norm = weights[f"{_start(weights)}model.norm.weight"]
    outer = {
        names["eh_proj.weight"]: mx.concatenate([left, taken] if reads == "hidden" else [taken, left], axis=1),
        names["norm.weight"]: norm - 1 + centre,
        **dict.fromkeys((names["enorm.weight"], names["hnorm.weight"]), mx.full((HIDDEN,), centre)),
    }
    return tiny_mtp(folder, target, silent=_SILENT, **{**outer, **changes})


def _load(folder: Path) -> dict[str, mx.array]:
    return dict(mx.load(str(folder / "model.safetensors")))


def _silent(name: str, array: mx.array) -> mx.array:
    return mx.zeros_like(array) if name.endswith(_SILENT) else array


def _start(weights: dict[str, mx.array]) -> str:
    return next(name for name in weights if name.endswith("lm_head.weight")).removesuffix("lm_head.weight")


def _states(weights: dict[str, mx.array]) -> tuple[mx.array, mx.array]:
    """What the target makes of each token, before and after its final norm."""
    embedding, norm = (weights[f"{_start(weights)}model.{name}.weight"] for name in ("embed_tokens", "norm"))
    return embedding, _normed(embedding) * norm


def _normed(array: mx.array) -> mx.array:
    return mx.fast.rms_norm(array, None, _EPSILON)


def _inverse(array: mx.array) -> mx.array:
    return mx.linalg.pinv(array, stream=mx.cpu)


def _following(array: mx.array) -> mx.array:
    """Row t is that of the token after t: the next letter, after the last the first; a control token itself."""
    letters, others = array[: len(LETTERS)], array[len(LETTERS) :]
    return mx.concatenate([letters[1:], letters[:1], others])
