"""What published implementations computed with tiny heads, and the folders that hold these; made by make_mtp.py."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.drafters.mtp.model import MtpModel
from engine.drafters.mtp.weights import fill_head
from engine.models.drafting.files import read_files
from engine.models.drafting.mtp import read_spec
from engine.models.drafting.mtp_families import FAMILIES
from tests.engine.tiny import write_json

GOLDENS = Path(__file__).parents[3] / "data" / "goldens"
MODEL_TYPES = tuple(sorted(FAMILIES))


@dataclass(frozen=True)
class Golden:
    """One family's head by its published tensors; pairs [1, pairs, hidden], and one more token for the chained pair."""

    config: dict[str, Any]
    tensors: dict[str, mx.array]
    embeddings: mx.array
    hidden: mx.array
    output: mx.array
    chained: mx.array

    def write(self, folder: Path, form: str = "pt", **changes: Any) -> Path:
        """A folder that holds the head, and nothing else of its model; `form` is what its file says it was written by,
        "" for nothing."""
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / "config.json", self.config | changes)
        mx.save_safetensors(str(folder / "model.safetensors"), self.tensors, {"format": form} if form else None)
        return folder


def read_golden(model_type: str) -> Golden:
    arrays, metadata = mx.load(str(GOLDENS / f"mtp_{model_type}.safetensors"), return_metadata=True)
    own = [arrays.pop(name) for name in ("input.embeddings", "input.hidden", "output", "chained")]
    return Golden(json.loads(metadata["config"]), arrays, *own)


def open_head(folder: Path, dtype: mx.Dtype = mx.float32) -> MtpModel:
    """The head of a folder, as the engine loads it."""
    files = read_files(folder)
    spec = read_spec(files, None)
    module = MtpModel(spec)
    list(fill_head(module, spec, files, dtype))
    return module
