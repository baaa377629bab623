"""Keeps measured costs between starts: one small file for each model on this machine and these libraries."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.blas import blas_is_preloaded
from engine.costs import CostTable
from engine.messages import ModelFacts

log = logging.getLogger(__name__)

STORE_SECONDS = 10.0  # between writes while replies run: a full table takes 2 ms, and this is what a killed start loses
LEFT_BEHIND_SECONDS = 60.0  # after which nobody is still writing a file that takes a moment


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


class CostFile:
    """Owns what forwards of a model take, its file, and when that was last written; no path keeps it in memory."""

    def __init__(self, path: Path | None, now: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._now = now
        self._stored_at = now()
        self.costs = load_costs(path) if path else CostTable()

    def store(self) -> None:
        """Write what has changed, if anything."""
        self._stored_at = self._now()
        if self._path:
            save_costs(self.costs, self._path)

    def store_now_and_then(self) -> None:
        """For every round of a reply: a start that is killed in its first one has measured for something."""
        if self._now() - self._stored_at >= STORE_SECONDS:
            self.store()


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
        _sweep(path.parent)
        partial = path.with_suffix(f".{os.getpid()}.tmp")  # other processes use the model, too
        partial.write_text(json.dumps(costs.store()), encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        log.warning("the measured costs could not be stored in %s: %s", path, error)


def _sweep(folder: Path) -> None:
    """Drop what processes left that were killed while they wrote."""
    for partial in folder.glob("*.tmp"):
        try:
            if time.time() - partial.stat().st_mtime > LEFT_BEHIND_SECONDS:
                partial.unlink()
        except FileNotFoundError:  # another process was first
            continue
