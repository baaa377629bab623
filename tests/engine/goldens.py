"""Goldens: a checkpoint with its config, and what a reference implementation made of some inputs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from tests.engine.tiny import write_json

_FOLDER = Path(__file__).parent.parent / "data" / "goldens"
_PREFIX = "golden."


@dataclass(frozen=True, slots=True)
class Golden:
    """One file of tests/data/goldens."""

    config: dict[str, Any]
    weights: dict[str, mx.array]  # by their published names
    values: dict[str, mx.array]  # inputs and outputs


def read_golden(name: str) -> Golden:
    arrays, metadata = mx.load(str(_FOLDER / f"{name}.safetensors"), return_metadata=True)
    weights = {key: array for key, array in arrays.items() if not key.startswith(_PREFIX)}
    values = {key.removeprefix(_PREFIX): array for key, array in arrays.items() if key.startswith(_PREFIX)}
    return Golden(json.loads(metadata["config"]), weights, values)


def write_golden(folder: Path, golden: Golden) -> Path:
    """The golden's checkpoint as a drafter's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", golden.config)
    mx.save_safetensors(str(folder / "model.safetensors"), golden.weights, {"format": "mlx"})
    return folder
