"""What the references draft for a tiny target, and the drafter's folder as it would be published."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.drafters.assistant.model import AssistantModel, Borrowed, visible
from engine.models.drafting.assistant import AssistantSpec, read_spec
from engine.models.drafting.files import read_files
from tests.engine.tiny import write_json

PATH = Path(__file__).parents[3] / "data" / "goldens" / "assistant.safetensors"
HEADS = ("dense", "centroid")
WINDOWS = {"inside": 16, "past": 5}  # tokens, against rows of up to 13
LENGTHS = (11, 3, 13)  # tokens that the target has read of each row
STEPS = 4
EMBED_SCALE = 16**0.5

_ARRAYS, _CONFIGS = mx.load(str(PATH), return_metadata=True)


def arrays_of(prefix: str) -> dict[str, mx.array]:
    """By the rest of their names."""
    return {name.removeprefix(prefix): array for name, array in _ARRAYS.items() if name.startswith(prefix)}


def config_of(name: str) -> dict[str, Any]:
    """As transformers writes it."""
    config: dict[str, Any] = json.loads(_CONFIGS[name])
    return config


def write_drafter(folder: Path, head: str, place: str, **changes: Any) -> Path:
    """A published assistant's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", config_of(f"{head}.{place}") | changes)
    weights = {name: array for name, array in arrays_of(f"{head}.").items() if not name.startswith(tuple(WINDOWS))}
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "pt"})
    return folder


def load_module(folder: Path) -> tuple[AssistantModel, AssistantSpec]:
    """The module alone, without the engine's loader."""
    spec = read_spec(read_files(folder), None)
    model = AssistantModel(spec)
    weights = mx.load(str(folder / "model.safetensors"))
    model.load_weights([(name, _as_index(array)) for name, array in weights.items()])
    return model, spec


def _as_index(array: mx.array) -> mx.array:
    return array if mx.issubdtype(array.dtype, mx.floating) else array.astype(mx.int32)


@dataclass(frozen=True)
class Golden:
    """One row: what the target has read and gives, and what is drafted then, greedily."""

    token_ids: list[int]  # the last is pending
    hidden: mx.array  # [1, 1, hidden]
    donors: dict[str, tuple[mx.array, mx.array]]
    logits: mx.array  # [steps, vocabulary]
    hiddens: mx.array  # [steps, hidden]

    @property
    def length(self) -> int:
        return len(self.token_ids) - 1

    @property
    def drafted(self) -> list[int]:
        """Greedy tokens."""
        return mx.argmax(self.logits, axis=-1).tolist()


def golden(head: str, place: str, row: int) -> Golden:
    given, drafted = arrays_of(f"{place}.{row}."), arrays_of(f"{head}.{place}.{row}.")
    kinds = ("sliding_attention", "full_attention")
    donors = {kind: (given[f"{kind}.keys"], given[f"{kind}.values"]) for kind in kinds}
    return Golden(given["token_ids"][0].tolist(), given["hidden"], donors, drafted["logits"], drafted["hidden"])


def borrow(rows: Sequence[Golden], window: int, position_error: int = 0, num_stale: int = 0) -> Borrowed:
    """The rows' donors in one batch, padded right; `num_stale` more tokens of each than the target has kept."""
    lengths = mx.array([row.length for row in rows])
    num_columns = max(row.length for row in rows) + 2
    positions = mx.broadcast_to(mx.arange(num_columns), (len(rows), num_columns))
    shared, masks = {}, {}
    for kind in rows[0].donors:
        pairs = zip(*(row.donors[kind] for row in rows), strict=True)
        keys, values = (mx.concatenate([_padded(array, num_columns) for array in arrays]) for arrays in pairs)
        shared[kind] = (keys, values)
        masks[kind] = visible(positions, lengths + num_stale, window if kind == "sliding_attention" else None)
    return Borrowed(shared, masks, lengths - 1 + position_error)


def _padded(array: mx.array, num_columns: int) -> mx.array:
    """What a rejected token leaves behind is no zero."""
    return mx.pad(array, [(0, 0), (0, 0), (0, num_columns - array.shape[2]), (0, 0)], constant_values=3.0)


def embed(token_ids: mx.array) -> mx.array:
    """Tokens [rows] as the target's first layer sees them, [rows, 1, hidden]."""
    return _ARRAYS["target.model.embed_tokens.weight"][token_ids][:, None] * EMBED_SCALE
