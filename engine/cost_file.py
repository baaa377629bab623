"""Keeps measured costs between starts: one small file for each model on this machine and these libraries."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.blas import blas_is_preloaded
from engine.costs import CostTable
from engine.messages import ModelFacts

log = logging.getLogger(__name__)


def cost_path(data_dir: Path, facts: ModelFacts) -> Path:
    """The file of a model: other weights, another machine, device, MLX or BLAS has another."""
    device: dict[str, Any] = mx.device_info() if mx.default_device() == mx.gpu else {}
    parts = (
        (Path(facts.folder) / "config.json").read_bytes(),
        facts.weight_bytes,
        facts.kv_bytes_per_token,
        platform.node(),
        platform.processor() or platform.machine(),
        os.cpu_count(),
        device.get("device_name", "cpu"),
        version("mlx"),
        blas_is_preloaded(),
    )
    return data_dir / "costs" / f"{hashlib.sha256(repr(parts).encode()).hexdigest()[:24]}.json"


def load_costs(path: Path) -> CostTable:
    """An empty table where there is none, or one that makes no sense: it is measured anew."""
    try:
        return CostTable.restore(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return CostTable()
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        log.warning("the costs in %s are measured anew: %s", path, error)
        return CostTable()


def save_costs(costs: CostTable, path: Path) -> None:
    """Store what has changed, whole or not at all; a disk that refuses is told in the log."""
    if not costs.is_changed:
        return
    costs.is_changed = False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".tmp")
        partial.write_text(json.dumps(costs.store()), encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        log.warning("the measured costs could not be stored in %s: %s", path, error)
