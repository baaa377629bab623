"""What a target needs in memory; no MLX."""

from __future__ import annotations

from pathlib import Path

from engine.messages import UNQUANTISED, KvScheme, MemoryEstimate, ModelFacts
from engine.models.architecture import kv_elements_per_token, text_config
from engine.models.device import available_memory
from engine.models.facts import read_config
from engine.models.precision import FP32_BYTES, kv_element_bytes, wants_fp32
from engine.models.weights import Weights, read_weights


def estimate_memory(
    facts: ModelFacts, drafter: Path | None, context_length: int, num_rows: int, kv: KvScheme = UNQUANTISED
) -> MemoryEstimate:
    """What loading `facts` and running `num_rows` rows of `context_length` tokens takes.

    `drafter` is the folder of a drafting model, whose own rows count with its weights.
    """
    folder = Path(facts.folder)
    weights = read_weights(folder, read_config(folder))
    num_tokens = max(context_length, 0) * max(num_rows, 0)
    return MemoryEstimate(
        weight_bytes=_weight_bytes(weights),
        drafter_bytes=_drafter_bytes(drafter, num_tokens) if drafter else 0,
        kv_bytes=int(facts.kv_bytes_per_token * num_tokens * kv_share(kv, kv_element_bytes(weights))),
        available_bytes=available_memory(),
    )


def kv_share(kv: KvScheme, element_bytes: int) -> float:
    """What quantised keys and values take of exact ones: their bits, and a scale and a bias for each group."""
    return (kv.bits / 8 + 2 * element_bytes / kv.group_size) / element_bytes if kv.bits else 1.0


def _weight_bytes(weights: Weights) -> int:
    return weights.num_parameters * FP32_BYTES if wants_fp32(weights) else weights.num_bytes


def _drafter_bytes(folder: Path, num_tokens: int) -> int:
    config = read_config(folder)
    weights = read_weights(folder, config)
    return _weight_bytes(weights) + kv_elements_per_token(text_config(config)) * kv_element_bytes(weights) * num_tokens
