"""What a target needs in memory; no MLX."""

from __future__ import annotations

from pathlib import Path

from engine.messages import UNQUANTISED, DrafterFacts, KvScheme, MemoryEstimate, ModelFacts
from engine.models.device import available_memory
from engine.models.drafting.spec import DrafterSpec
from engine.models.errors import DrafterError
from engine.models.facts import read_config
from engine.models.precision import FP32_BYTES, kv_element_bytes, wants_fp32
from engine.models.weights import Weights, read_weights

_DENSE_BYTES = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2, "fp8": 1}
_LEAST_BYTES = 2  # of a number that is computed with; packed weights stay as they are, others take that type


def estimate_memory(
    facts: ModelFacts, drafter: DrafterFacts | None, context_length: int, num_rows: int, kv: KvScheme = UNQUANTISED
) -> MemoryEstimate:
    """What loading `facts` and running `num_rows` rows of `context_length` tokens takes.

    The rows of a drafter with weights count with these. Raises DrafterError where nothing is known of what it takes.
    """
    if drafter and not drafter.weight_bytes:
        raise DrafterError(drafter.refusal)
    weights = _weights_of(facts)
    num_tokens = max(context_length, 0) * max(num_rows, 0)
    return MemoryEstimate(
        weight_bytes=_loaded_bytes(weights),
        drafter_bytes=drafter.weight_bytes + drafter.kv_bytes_per_token * num_tokens if drafter else 0,
        kv_bytes=int(facts.kv_bytes_per_token * num_tokens * kv_share(kv, kv_element_bytes(weights))),
        available_bytes=available_memory(),
    )


def kv_share(kv: KvScheme, element_bytes: int) -> float:
    """What quantised keys and values take of exact ones: their bits, and a scale and a bias for each group."""
    return (kv.bits / 8 + 2 * element_bytes / kv.group_size) / element_bytes if kv.bits else 1.0


def loaded_bytes(facts: ModelFacts) -> int:
    """What the weights of a model take once they are loaded."""
    return _loaded_bytes(_weights_of(facts))


def drafter_bytes(spec: DrafterSpec, target: ModelFacts | None) -> tuple[int, int]:
    """What a drafter's weights take, and what it keeps of every token: in the type that its target computes in."""
    stored = _DENSE_BYTES.get(spec.quantisation)
    element = kv_element_bytes(_weights_of(target)) if target else max(stored or 0, _LEAST_BYTES)
    weight_bytes = spec.weight_bytes * element // stored if stored else spec.weight_bytes
    return weight_bytes, spec.kv_elements_per_token * element


def _loaded_bytes(weights: Weights) -> int:
    return weights.num_parameters * FP32_BYTES if wants_fp32(weights) else weights.num_bytes


def _weights_of(facts: ModelFacts) -> Weights:
    folder = Path(facts.folder)
    return read_weights(folder, read_config(folder))
