"""What a target needs in memory; no MLX."""

from __future__ import annotations

from pathlib import Path

from engine.messages import MemoryEstimate, ModelFacts
from engine.models.device import available_memory
from engine.models.facts import read_config
from engine.models.precision import FP32_BYTES, wants_fp32
from engine.models.weights import read_weights

_WEIGHTLESS_DRAFTERS = frozenset(("", "none", "ngram"))


def estimate_memory(facts: ModelFacts, drafter: str, context_length: int, num_rows: int) -> MemoryEstimate:
    """What loading `facts` and running `num_rows` rows of `context_length` tokens takes.

    `drafter` is a name without weights, or a folder or file whose size on disk counts.
    """
    folder = Path(facts.folder)
    weights = read_weights(folder, read_config(folder))
    return MemoryEstimate(
        weight_bytes=weights.num_parameters * FP32_BYTES if wants_fp32(weights) else weights.num_bytes,
        drafter_bytes=0 if drafter in _WEIGHTLESS_DRAFTERS else _bytes_on_disk(Path(drafter)),
        kv_bytes=facts.kv_bytes_per_token * max(context_length, 0) * max(num_rows, 0),
        available_bytes=available_memory(),
    )


def _bytes_on_disk(path: Path) -> int:
    files = path.rglob("*.safetensors") if path.is_dir() else (path,)
    return sum(file.stat().st_size for file in files if file.is_file())
