"""What the engine holds in memory, told between two steps."""

from __future__ import annotations

from engine.groups import Groups
from engine.loading import Loader
from engine.messages import MemoryReport
from engine.models.device import memory_limit
from engine.prompt_cache.cache import PromptCache


def describe_memory(loader: Loader, groups: Groups, cache: PromptCache | None) -> MemoryReport:
    """Weights that are loaded, the state of rows that run, and what the prompt cache keeps."""
    rows = groups.memory
    weight_bytes, drafter_bytes = loader.target_bytes, loader.drafter_bytes
    cache_bytes = cache.ram_bytes if cache else 0
    held_bytes = weight_bytes + drafter_bytes + rows.target_bytes + rows.drafter_bytes + cache_bytes
    return MemoryReport(
        weight_bytes=weight_bytes,
        drafter_bytes=drafter_bytes,
        kv_bytes=rows.target_bytes,
        drafter_kv_bytes=rows.drafter_bytes,
        cache_bytes=cache_bytes,
        limit_bytes=memory_limit(held_bytes),
        num_rows=rows.num_rows,
    )
