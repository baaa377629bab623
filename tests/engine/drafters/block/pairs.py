"""A target whose next token follows from the last one, and block drafters that are made to know it.

Everything is solved for, nothing trained: acceptance is exact, so a tap or a position that is one off shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_lm.utils import load_model

from engine.structure import Structure
from engine.taps import Taps
from tests.engine.drafters.tiny_block import tiny_dflash, tiny_dspark
from tests.engine.tiny import tiny_folder

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ01234567"
HIDDEN = 64  # at least as many as there are tokens, so that the equations have a solution
LAYERS = 4
TAPS = [0, 2]  # of which the drafters read the second
BLOCK = 6
STEP = 7  # shares no factor with the letters, so that a reply of them all repeats none
_MODEL = {"hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "head_dim": 16}


def follower(token_ids: np.ndarray, steps: int = 1) -> np.ndarray:
    """The token that comes so many steps later; the control tokens lead into the circle of letters."""
    return (token_ids + STEP * steps) % len(LETTERS)


def stepping_target(folder: Path) -> Path:
    """Its attention adds nothing and its head is solved for: after token x comes follower(x)."""
    tiny_folder(folder, letters=LETTERS, seed=3, **_MODEL)
    weights = dict(mx.load(str(folder / "model.safetensors")))
    weights |= {name: mx.zeros_like(array) for name, array in weights.items() if "o_proj" in name}
    for layer in range(LAYERS):  # each outweighs those before it, so that no tap is like another
        weights[f"model.layers.{layer}.mlp.down_proj.weight"] *= 4**layer
    _save(folder, weights)
    _, final = features(folder)
    weights["lm_head.weight"] = mx.array(40 * _solved(final, np.eye(len(final))[follower(np.arange(len(final)))]))
    _save(folder, weights)
    return folder


def features(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Of every token: the second tap, and the hidden state after the final norm, [tokens, hidden]."""
    model, config = load_model(folder)
    taps = Taps(Structure(model, "llama"))
    ids = mx.arange(config["vocab_size"])[:, None]
    _, both = taps.run(ids, [None] * LAYERS, (TAPS[1], LAYERS))
    tapped, final = mx.split(both[:, 0], 2, axis=-1)
    return np.array(tapped), np.array(final)


def stepping_dflash(folder: Path, target: Path, taps: Sequence[int] = TAPS, **changes: Any) -> Path:
    """Each masked position looks exactly one block back, and goes on as many steps from the token that it finds.

    `taps` is what the config says, whatever the weights were made for.
    """
    own = {"block_size": BLOCK, "target_layer_ids": list(taps), "mask_token_id": len(LETTERS)}
    own["input_embedding_scale"] = 1e-3  # what a position knows of the tokens comes from the taps alone
    shape = {"attention_bias": True, "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 16}
    config = {**shape, "rope_theta": 2.0, "dflash_config": own} | changes
    tiny_dflash(folder, target, **config)
    weights = dict(mx.load(str(folder / "model.safetensors")))
    _save(folder, weights | _looking_back(weights, target))
    return folder


def _looking_back(weights: dict[str, mx.array], target: Path) -> dict[str, mx.array]:
    tapped, final = features(target)
    normed = tapped / np.sqrt(np.mean(tapped**2, axis=-1, keepdims=True) + 1e-6)
    later = final[follower(np.arange(len(final)), BLOCK - 1)]  # from which the head makes the one after
    solved = {
        "fc.weight": mx.concatenate([mx.zeros((HIDDEN, HIDDEN)), mx.eye(HIDDEN)], axis=1),
        "hidden_norm.weight": mx.ones(HIDDEN),
        "norm.weight": mx.ones(HIDDEN),
        "layers.0.self_attn.v_proj.weight": mx.eye(HIDDEN),
        "layers.0.self_attn.o_proj.weight": mx.array(_solved(normed, later)),
        **_distance(BLOCK),
    }
    solved |= {f"layers.{index}.mlp.down_proj.weight": mx.zeros((HIDDEN, 48)) for index in range(2)}
    solved["layers.1.self_attn.o_proj.weight"] = mx.zeros((HIDDEN, HIDDEN))
    return (
        solved | {name: mx.zeros_like(array) for name, array in weights.items() if name.endswith("proj.bias")} | solved
    )


def _distance(distance: int) -> dict[str, mx.array]:
    """Queries and keys that are the same everywhere but for their rotation, and agree at this distance alone."""
    angles = distance * 2.0 ** -(np.arange(0, 16, 2) / 16)
    keys = np.tile(np.concatenate([np.ones(8), np.zeros(8)]), 4)
    queries = np.tile(np.concatenate([np.cos(angles), -np.sin(angles)]), 4)
    weights = {f"layers.0.self_attn.{name}.weight": mx.zeros((HIDDEN, HIDDEN)) for name in ("q_proj", "k_proj")}
    weights |= {f"layers.0.self_attn.{name}.weight": mx.full(16, 5.0) for name in ("q_norm", "k_norm")}
    biases = {"layers.0.self_attn.q_proj.bias": queries, "layers.0.self_attn.k_proj.bias": keys}
    return weights | {name: mx.array(value.astype(np.float32)) for name, value in biases.items()}


def stepping_dspark(folder: Path, target: Path, **changes: Any) -> Path:
    """A Markov head that knows every follower, behind layers whose own opinion counts for nothing."""
    tiny_dspark(folder, target, markov_rank=HIDDEN, **changes)
    weights = dict(mx.load(str(folder / "model.safetensors")))
    num_tokens = len(weights["lm_head.weight"])
    follows = np.eye(num_tokens, dtype=np.float32)[follower(np.arange(num_tokens))]
    padded = np.pad(np.eye(num_tokens, dtype=np.float32), [(0, 0), (0, HIDDEN - num_tokens)])
    weights["lm_head.weight"] = mx.zeros((num_tokens, HIDDEN))
    weights["markov_head.markov_w1.weight"] = mx.array(padded)
    weights["markov_head.markov_w2.weight"] = mx.array(40 * follows.T @ padded)
    weights["confidence_head.proj.weight"] = mx.zeros_like(weights["confidence_head.proj.weight"])
    weights["confidence_head.proj.bias"] = mx.array([9.0])
    _save(folder, weights)
    return folder


def _solved(inputs: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """The matrix [out, in] that makes each row of outputs of that of inputs."""
    matrix: np.ndarray = (np.linalg.pinv(inputs.astype(np.float64)) @ outputs).T.astype(np.float32)
    return matrix


def _save(folder: Path, weights: dict[str, mx.array]) -> None:
    mx.eval(list(weights.values()))
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
