"""What a target needs in memory; no MLX."""

from __future__ import annotations

from pathlib import Path

from engine.messages import MemoryEstimate, ModelFacts
from engine.models.architecture import kv_elements_per_token, text_config
from engine.models.device import available_memory
from engine.models.facts import read_config
from engine.models.precision import FP32_BYTES, kv_element_bytes, wants_fp32
from engine.models.weights import Weights, read_weights


def estimate_memory(facts: ModelFacts, drafter: Path | None, context_length: int, num_rows: int) -> MemoryEstimate:
    """What loading `facts` and running `num_rows` rows of `context_length` tokens takes.

    `drafter` is the folder of a drafting model, whose own rows count with its weights.
    """
    folder = Path(facts.folder)
    num_tokens = max(context_length, 0) * max(num_rows, 0)
    return MemoryEstimate(
        weight_bytes=_weight_bytes(read_weights(folder, read_config(folder))),
        drafter_bytes=_drafter_bytes(drafter, num_tokens) if drafter else 0,
        kv_bytes=facts.kv_bytes_per_token * num_tokens,
        available_bytes=available_memory(),
    )


def _weight_bytes(weights: Weights) -> int:
    return weights.num_parameters * FP32_BYTES if wants_fp32(weights) else weights.num_bytes


def _drafter_bytes(folder: Path, num_tokens: int) -> int:
    config = read_config(folder)
    weights = read_weights(folder, config)
    return _weight_bytes(weights) + kv_elements_per_token(text_config(config)) * kv_element_bytes(weights) * num_tokens
