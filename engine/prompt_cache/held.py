"""State that was found: pages and a checkpoint that stay in RAM for as long as somebody holds them."""

from __future__ import annotations

from collections.abc import Sequence

from engine.prompt_cache.arrays import Arrays, join_pages, other_handles
from engine.prompt_cache.requests import StreamState
from engine.prompt_cache.tree import Part


class Held:
    """A prefix of one stream; dropping the last reference to it lets its entries be evicted again."""

    def __init__(self, num_tokens: int, pages: Sequence[Part], checkpoint: Part | None) -> None:
        """Pages from token 0 on, all in RAM; the last may reach beyond `num_tokens`."""
        self.num_tokens = num_tokens
        self.parts = frozenset([*pages, checkpoint] if checkpoint else pages)
        self._pages = [_arrays_of(part) for part in pages]
        self._fixed = _arrays_of(checkpoint) if checkpoint else ()

    def state(self) -> StreamState:
        """All of it in one piece, from token 0 on; lazy, and a write into it leaves the cache's own as it is."""
        return StreamState(0, self.num_tokens, join_pages(self._pages, self.num_tokens), other_handles(self._fixed))


def _arrays_of(part: Part) -> Arrays:
    assert part.arrays is not None
    return part.arrays
