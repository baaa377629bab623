"""What this process may still take of the memory, and the prompt cache that gives way to models and replies."""

from __future__ import annotations

from collections.abc import Callable, Collection

import mlx.core as mx

from engine.amounts import write_size
from engine.models.device import memory_limit, runs_on_cuda
from engine.models.errors import ModelError
from engine.prompt_cache.cache import PromptCache
from engine.prompt_cache.held import Held


class Memory:
    """Knows what is neither taken nor promised to rows that still grow, and lets the prompt cache have that."""

    def __init__(
        self,
        cache: Callable[[], PromptCache | None],
        promised: Callable[[], int],
        live: Callable[[], int],
        limit: Callable[[int], int] | None = None,
    ) -> None:
        """`promised()`: what rows and loads in progress will yet take. `live()`: what rows have. `limit(held)`: what
        the process may take in all, where it holds so many bytes; None is the machine's."""
        self._cache = cache
        self._promised = promised
        self._live = live
        self._limit = limit or device_limit

    def limit_bytes(self) -> int:
        """What the process may take in all."""
        return self._limit(mx.get_active_memory() + mx.get_cache_memory())

    def room_bytes(self, own: Collection[Held] = ()) -> int:
        """What a model or a row may take; may be below 0.

        The prompt cache's part counts, since that gives way, but for what rows hold of it until they are read on from
        there. `own` is what the row itself holds: that goes once its state is made of it.
        """
        cache = self._cache()
        return self._whole_room() - (cache.held_bytes(own) if cache else 0)

    def take(self, num_bytes: int, own: Collection[Held] = ()) -> bool:
        """Whether there is room for so many bytes; the prompt cache leaves it. `own` is as in `room_bytes`."""
        if num_bytes > self.room_bytes(own):
            return False
        if (cache := self._cache()) is not None:
            cached = cache.ram_bytes
            cache.limit_ram(self._whole_room() - num_bytes)  # what is promised is not the cache's to fill meanwhile
            if cache.ram_bytes < cached:
                mx.clear_cache()
        return True

    def share(self) -> None:
        """Let the prompt cache fill what is left, within the ceiling that it shares with rows."""
        if (cache := self._cache()) is not None:
            cache.shrink(self._live())
            cache.limit_ram(max(0, self._whole_room()))

    def _whole_room(self) -> int:
        """As though all of the prompt cache could go."""
        cache = self._cache()
        cached = cache.ram_bytes if cache else 0
        return self.limit_bytes() - mx.get_active_memory() - self._promised() + cached

    def admit_model(self, name: str, num_bytes: int) -> None:
        """Make room for weights and their largest forward; raises ModelError where there is none."""
        if self.take(num_bytes):
            return
        limit, room = self.limit_bytes(), max(0, self.room_bytes())
        found = f"{name!r} needs {write_size(num_bytes)} of memory"
        if num_bytes > limit:
            raise ModelError(
                f"{found}; {write_size(limit)} is allowed for one program here. "
                "Choose a smaller model, or one with fewer bits"
            )
        raise ModelError(
            f"{found}; {write_size(room)} is free of the {write_size(limit)} that is allowed. "
            "Unload another model, wait until replies have ended, or choose a smaller model"
        )


def device_limit(held_bytes: int) -> int:
    """Bytes that this process may take in all, where it holds so many: of a GPU with memory of its own, else of the
    machine."""
    if runs_on_cuda():
        return int(mx.device_info()["free_memory"]) + held_bytes
    return memory_limit(held_bytes)
