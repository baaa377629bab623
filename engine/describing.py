"""What the engine holds in memory, and of a prompt in its cache; told between two steps."""

from __future__ import annotations

import sys
from dataclasses import replace

import mlx.core as mx

from engine.checkpoints import Checkpoints
from engine.groups import Groups
from engine.loading import Loader
from engine.memory import Memory
from engine.messages import Answer, MemoryReport
from engine.prompt_cache.cache import PromptCache
from engine.text.counting import Counted


def describe_memory(loader: Loader, groups: Groups, cache: PromptCache | None, memory: Memory) -> MemoryReport:
    """Weights that are loaded, the state of rows that run, and what the prompt cache keeps."""
    rows = groups.memory
    weight_bytes, drafter_bytes = loader.target_bytes, loader.drafter_bytes
    return MemoryReport(
        weight_bytes=weight_bytes,
        drafter_bytes=drafter_bytes,
        kv_bytes=rows.target_bytes,
        drafter_kv_bytes=rows.drafter_bytes,
        cache_bytes=cache.ram_bytes if cache else 0,
        limit_bytes=memory.limit_bytes(),
        num_rows=rows.num_rows,
        device=device_words(),
    )


def device_words() -> str:
    """What MLX computes on by itself, such as "Metal, Apple M3"."""
    if mx.default_device() == mx.Device(mx.cpu):
        return "CPU"
    backend = "Metal" if sys.platform == "darwin" else "CUDA"
    return ", ".join((backend, str(mx.device_info().get("device_name", ""))))


def complete_count(counted: Counted, loader: Loader, checkpoints: Checkpoints) -> Answer:
    """The answer to a count, with what is cached of the prompt where its target is loaded."""
    target = loader.target(counted.target)
    if target is None:
        return Answer(counted.request_id, counted.count)
    num_cached = checkpoints.num_held(target.state_kinds, counted.token_ids)
    return Answer(counted.request_id, replace(counted.count, num_cached=num_cached))
