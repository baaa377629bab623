"""What a target needs in memory; no MLX."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.messages import UNQUANTISED, DrafterFacts, KvScheme, MemoryEstimate, ModelFacts
from engine.models.architecture import language_config
from engine.models.device import available_memory, memory_limit, process_memory
from engine.models.drafting.spec import DrafterSpec
from engine.models.errors import DrafterError
from engine.models.facts import read_config
from engine.models.gguf_facts import read_gguf_shape
from engine.models.precision import FP32_BYTES, kv_element_bytes, wants_fp32
from engine.models.state_size import StateSize, state_size
from engine.models.weights import Weights, read_weights
from engine.models.working_memory import working_memory

_DENSE_BYTES = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2, "fp8": 1}
_LEAST_BYTES = 2  # of a number that is computed with; packed weights stay as they are, others take that type


@dataclass(frozen=True, slots=True)
class RowSize:
    """What a row of a model takes by its length, and a forward beside it."""

    state: StateSize
    element_bytes: int
    working_bytes: int

    def at(self, num_tokens: int, kv: KvScheme = UNQUANTISED) -> int:
        """Bytes of a row of so many tokens; windows and recurrent layers are never quantised."""
        num_exact = min(num_tokens, kv.start) if kv.bits else num_tokens
        grown = num_exact + (num_tokens - num_exact) * kv_share(kv, self.element_bytes)
        rest = self.state.windowed(num_tokens) + (self.state.fixed if num_tokens else 0)
        return int((self.state.per_token * grown + rest) * self.element_bytes)


NO_SIZE = RowSize(StateSize(0), 1, 0)


def estimate_memory(
    facts: ModelFacts, drafter: DrafterFacts | None, context_length: int, num_rows: int, kv: KvScheme = UNQUANTISED
) -> MemoryEstimate:
    """What loading `facts` and running `num_rows` rows of `context_length` tokens takes.

    The rows of a drafter with weights count with these. Raises DrafterError where nothing is known of what it takes.
    """
    if drafter and not drafter.weight_bytes:
        raise DrafterError(drafter.refusal)
    row = row_size(facts)
    num_tokens, num_rows = max(context_length, 0), max(num_rows, 0)
    drafted = drafter.weight_bytes + drafter.kv_bytes_per_token * num_tokens * num_rows if drafter else 0
    return MemoryEstimate(
        weight_bytes=loaded_bytes(facts),
        drafter_bytes=drafted,
        kv_bytes=num_rows * row.at(num_tokens, kv),
        available_bytes=available_memory(),
        working_bytes=row.working_bytes,
        limit_bytes=memory_limit(process_memory()),
    )


def row_size(facts: ModelFacts) -> RowSize:
    """Of a model whose facts are those of the type that it runs in."""
    found, weights = _files_of(facts)
    config = language_config(found)
    state = state_size(config)
    per_token = state.per_new_token
    element_bytes = facts.kv_bytes_per_token // per_token if per_token else kv_element_bytes(weights)
    return RowSize(state, element_bytes, working_memory(config, element_bytes))


def kv_share(kv: KvScheme, element_bytes: int) -> float:
    """What quantised keys and values take of exact ones: their bits, and a scale and a bias for each group."""
    return (kv.bits / 8 + 2 * element_bytes / kv.group_size) / element_bytes if kv.bits else 1.0


def loaded_bytes(facts: ModelFacts) -> int:
    """What the weights of a model take once they are loaded."""
    weights = _weights_of(facts)
    return weights.num_parameters * FP32_BYTES if wants_fp32(weights) else weights.num_bytes


def drafter_bytes(spec: DrafterSpec, target: ModelFacts | None) -> tuple[int, int]:
    """What a drafter's weights take, and what it keeps of every token: in the type that its target computes in."""
    stored = _DENSE_BYTES.get(spec.quantisation)
    element = kv_element_bytes(_weights_of(target)) if target else max(stored or 0, _LEAST_BYTES)
    weight_bytes = spec.weight_bytes * element // stored if stored else spec.weight_bytes
    return weight_bytes, spec.kv_elements_per_token * element


def _weights_of(facts: ModelFacts) -> Weights:
    return _files_of(facts)[1]


def _files_of(facts: ModelFacts) -> tuple[dict[str, Any], Weights]:
    """The config and the weights; of a GGUF file those that it is imported to."""
    path = Path(facts.folder)
    if path.is_file():
        return read_gguf_shape(path)
    config = read_config(path)
    return config, read_weights(path, config)
