"""Which floating type a model computes in on this machine, decided without loading MLX."""

from __future__ import annotations

from engine.models.device import available_memory, runs_on_cpu
from engine.models.weights import Weights

FP32_BYTES = 4


def wants_fp32(weights: Weights) -> bool:
    """Whether to turn all weights into fp32: on a CPU with a fast BLAS, where they fit a quarter of free memory."""
    from engine.blas import blas_is_preloaded

    return runs_on_cpu() and blas_is_preloaded() and weights.num_parameters * FP32_BYTES <= available_memory() // 4


def kv_element_bytes(weights: Weights) -> int:
    """Bytes of one number in the KV cache: on a CPU quantised models compute in fp32, others in their own type."""
    in_fp32 = runs_on_cpu() and (weights.is_quantised or wants_fp32(weights))
    return FP32_BYTES if in_fp32 else weights.float_bytes
