"""State that was found: pages and a checkpoint that stay in RAM for as long as somebody holds them."""

from __future__ import annotations

from engine.prompt_cache.requests import StreamState


class Held:
    """A prefix of one stream; dropping the last reference to it lets its entries be evicted again."""

    num_tokens: int

    def state(self) -> StreamState:
        """All of it in one piece, from token 0 on; lazy arrays that share nothing with a batch."""
        raise NotImplementedError
