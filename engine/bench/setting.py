"""What is measured, on what: all that figures mean nothing without."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from engine.blas import blas_is_preloaded


@dataclass(frozen=True, slots=True)
class Setting:
    """What was measured, on what."""

    command: str
    measured_at: str  # when it began
    model: str
    quantisation: str
    floating_types: str
    device: str
    blas: str
    machine: str
    num_cores: int
    load_average: float  # of the minute before; far above 0 means that others disturbed the measurement
    versions: dict[str, str]
    prompts: str
    num_chats: int
    num_prompts: int
    max_tokens: int
    repeats: int
    seed: int | None


def software_versions() -> dict[str, str]:
    """Versions of what the figures depend on; "" for what is not installed."""
    return {name: _version(name) for name in ("slipstream-chat", "mlx", "mlx-lm", "mlx-metal", "mlx-cuda-13")}


def machine_name() -> str:
    return f"{platform.platform()}, {platform.machine()}, Python {platform.python_version()}"


def blas_name(is_cpu: bool) -> str:
    """Whose matrix products both sides computed with."""
    if not is_cpu:
        return "the GPU backend's"
    return "OpenBLAS, preloaded" if blas_is_preloaded() else "MLX's own"


def num_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
