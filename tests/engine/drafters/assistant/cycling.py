"""A tiny Gemma 4 whose next token depends on the last one alone, and assistants that know the rule.

The target's layers add nothing, so that its last hidden state tells which token it stands at, and its head has a row
for what follows each. How often an assistant is right is therefore known.
"""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx

from tests.engine.drafters.tiny_assistant import save_weights, tiny_assistant
from tests.engine.tiny import tiny_folder

WIDTH = 260  # one place for each of the 259 tokens
NUM_BYTES = 256
LOGIT = 6.0  # of the next token, 0 for all others: sampled at temperature 1, it comes in 61 of 100 cases
SILENT = ("o_proj", "down_proj", "per_layer_projection.weight")


def cycling_target(folder: Path) -> Path:
    """Its text runs through all bytes; no end token among them."""
    tiny_folder(folder, "gemma4_text", hidden_size=WIDTH, final_logit_softcapping=None)
    weights = _silenced(folder)
    weights["model.embed_tokens.weight"] = mx.eye(259, WIDTH)
    weights["lm_head.weight"] = _head(1)
    save_weights(folder, weights)
    return folder


def cycling_assistant(folder: Path, target_folder: Path, *, reads: str) -> Path:
    """`reads` the "token" that is pending: right as often as the target is; or the "hidden" state before it alone:
    right where the pending token was the likely one."""
    tiny_assistant(folder, target_folder, hidden_size=WIDTH, intermediate_size=8)
    weights = _silenced(folder)
    blank, copy = mx.zeros((WIDTH, WIDTH)), mx.eye(WIDTH)
    token = reads == "token"
    weights["pre_projection.weight"] = mx.concatenate([copy, blank] if token else [blank, copy], axis=1)
    weights["model.embed_tokens.weight"] = _head(1 if token else 2)
    weights["post_projection.weight"] = blank if token else mx.pad(_steps(1), [(0, 1), (0, 0)])
    save_weights(folder, weights)
    return folder


def following(token_id: int, num_steps: int = 1) -> int:
    """The likely token so many steps on: all bytes come once before one comes again."""
    return (token_id + 37 * num_steps) % NUM_BYTES


def _steps(num_steps: int) -> mx.array:
    """[259, WIDTH]: a 1 where the row's token follows the column's."""
    columns = mx.arange(WIDTH)
    followers = mx.array([following(token_id, num_steps) for token_id in range(WIDTH)])
    return (mx.arange(259)[:, None] == followers).astype(mx.float32) * (columns < 259)


def _head(num_steps: int) -> mx.array:
    """Hidden states after the final norm have the length of the root of WIDTH."""
    return _steps(num_steps) * LOGIT / WIDTH**0.5


def _silenced(folder: Path) -> dict[str, mx.array]:
    """A folder's tensors, with norms of 1 and without what its layers add."""
    weights = dict(mx.load(str(folder / "model.safetensors")))
    mx.eval(weights)
    return {name: _plain(name, array) for name, array in weights.items()}


def _plain(name: str, array: mx.array) -> mx.array:
    if any(part in name for part in SILENT):
        return mx.zeros_like(array)
    return mx.ones_like(array) if array.ndim == 1 else array
