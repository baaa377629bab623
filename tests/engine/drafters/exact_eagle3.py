"""A target whose text is known, and an EAGLE-3 head that is right about all of it but one letter.

The target's attention is switched off, so that each letter follows from the last one alone: the letters go round. The
head is solved for, not trained: its feature is the letter that the taps foretell, its attention adds the letter that
came, and a neuron fires where both are the same, to put the next one in their place. So a feature or a token of another
position, or the taps of other layers, foretell nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_lm.models.base import create_attention_mask
from mlx_lm.utils import load_model

from tests.engine.drafters.tiny_eagle3 import tiny_eagle3
from tests.engine.tiny import tiny_folder

LETTERS = ascii_lowercase + "ABCDEFGHIJKLMN"
MISSING = "d"  # which the head cannot propose, unless another is asked for
TAPS = (0, 1, 2)
DEPTH = 4
_TOKENS = len(LETTERS) + 3
_NEXT = [(index + 1) % len(LETTERS) for index in range(len(LETTERS))] + [0] * 3  # control tokens lead to the first
_HIDDEN, _HEAD = 64, 48
_SHARPNESS = 30.0  # of what is to be all or nothing


def exact_pair(
    folder: Path, missing: str = MISSING, layer: Mapping[str, Any] | None = None, **changes: Any
) -> tuple[Path, Path]:
    """Folders of the target and of a head that cannot propose some letters.

    `changes` are of the head's config, `layer` of what it says of its layer.
    """
    target, model = _target(folder / "target")
    taps = np.array(_outputs(model)[:, [*TAPS]])
    shape = {"num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": _HEAD, "intermediate_size": _TOKENS}
    proposed = [index for index in range(_TOKENS) if index not in map(LETTERS.index, missing)]
    config = {
        "draft_vocab_size": len(proposed),
        "eagle_aux_hidden_state_layer_ids": [tap + 1 for tap in TAPS],
        "speculators_config": {"proposal_methods": [{"speculative_tokens": DEPTH}]},
        **changes,
    }
    head = tiny_eagle3(folder / "head", target, layer={"rope_theta": 100.0, **shape, **(layer or {})}, **config)
    weights = mx.load(str(head / "model.safetensors"))
    assert isinstance(weights, dict)
    mx.save_safetensors(str(head / "model.safetensors"), weights | _solve(taps, proposed), {"format": "mlx"})
    return target, head


def text_of(count: int) -> str:
    """What the target writes; its template ends every prompt with a t."""
    start = LETTERS.index("u")
    return "".join(LETTERS[(start + step) % len(LETTERS)] for step in range(count))


def accepted_of(count: int, missing: str = MISSING) -> list[int]:
    """How many tokens of each round's proposal are right in a reply of so many letters.

    None of the first: the prompt's last letter does not follow from the one before.
    """
    text, accepted = text_of(count), [0]
    while (at := len(accepted) + sum(accepted)) < count:
        proposed = text[at : min(at + DEPTH, count - 1)]
        accepted.append(next((at for at, letter in enumerate(proposed) if letter in missing), len(proposed)))
    return accepted


def _target(folder: Path) -> tuple[Path, Any]:
    tiny_folder(folder, letters=LETTERS, num_hidden_layers=5, hidden_size=_HIDDEN)
    path = str(folder / "model.safetensors")
    weights = mx.load(path)
    assert isinstance(weights, dict)
    weights |= {name: mx.zeros_like(array) for name, array in weights.items() if "o_proj" in name}
    mx.save_safetensors(path, weights, {"format": "mlx"})
    model, _ = load_model(folder)
    ends = np.array(model.model.norm(_outputs(model)[:, -1]))
    wanted = 9.0 * np.eye(_TOKENS)[_NEXT]
    weights["lm_head.weight"] = _array(np.linalg.lstsq(ends, wanted, rcond=None)[0].T)
    mx.save_safetensors(path, weights, {"format": "mlx"})
    return folder, model


def _outputs(model: Any) -> mx.array:
    """What each layer makes of each token, [tokens, layers, hidden]."""
    hidden, outputs = model.model.embed_tokens(mx.arange(_TOKENS)[:, None]), []
    for layer in model.model.layers:
        hidden = layer(hidden, create_attention_mask(hidden, None), None)
        outputs.append(hidden)
    return mx.concatenate(outputs, axis=1)


def _solve(taps: np.ndarray, proposed: list[int]) -> dict[str, mx.array]:
    """Weights of the head, by a direction for each token and one that all embeddings share.

    Attention falls off with the distance alone, so sharply that each position sees its own pair only.
    """
    directions, shared = np.eye(_HIDDEN)[:_TOKENS], np.eye(_HIDDEN)[_TOKENS]
    following = directions[_NEXT]
    embedded = (_HIDDEN / 2) ** 0.5  # what each part of an embedding becomes by its norm
    place, token = np.zeros((_HEAD, 2 * _HIDDEN)), np.zeros((_HEAD, 2 * _HIDDEN))
    place[: _HEAD // 2, :_HIDDEN] = _SHARPNESS * shared / embedded
    token[:_TOKENS, :_HIDDEN] = directions / embedded
    token[_TOKENS, :_HIDDEN] = shared / embedded
    mixed = np.zeros((_HIDDEN, _HEAD))
    mixed[:, :_TOKENS], mixed[:, _TOKENS] = directions.T, shared
    agreed = (_HIDDEN / 5) ** 0.5  # by the norm of twice a token's direction and the shared one
    fired = _SHARPNESS * 0.5 * agreed * 2 * agreed
    solved = {
        "embed_tokens.weight": directions + shared,
        "fc.weight": _foretell(taps, following),
        "layers.0.self_attn.q_proj.weight": place,
        "layers.0.self_attn.k_proj.weight": place,
        "layers.0.self_attn.v_proj.weight": token,
        "layers.0.self_attn.o_proj.weight": mixed,
        "layers.0.mlp.gate_proj.weight": _SHARPNESS * (directions - 1.5 * shared),
        "layers.0.mlp.up_proj.weight": directions,
        "layers.0.mlp.down_proj.weight": (following - 2 * directions - shared).T / fired,
        "lm_head.weight": directions[proposed],
    }
    weights = {name: _array(array) for name, array in solved.items()}
    return weights | {"d2t": mx.array(proposed) - mx.arange(len(proposed))}


def _foretell(taps: np.ndarray, following: np.ndarray) -> np.ndarray:
    """From taps to the next token, by what each layer adds to the one before: all layers have much in common."""
    added = np.linalg.lstsq(np.diff(taps, axis=1).reshape(_TOKENS, -1), following, rcond=None)[0].T
    parts = np.split(added, len(TAPS) - 1, axis=1)
    none = np.zeros_like(parts[0])
    return np.concatenate([before - after for before, after in pairwise([none, *parts, none])], axis=1)


def _array(values: np.ndarray) -> mx.array:
    return mx.array(values.astype(np.float32))
