"""What the engine asks of the prompt cache, and what it gets: state at exact token counts, by the tokens before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.prompt_cache.entries import Stream

if TYPE_CHECKING:
    import mlx.core as mx

    from engine.prompt_cache.held import Held


@dataclass(frozen=True, slots=True)
class StreamState:
    """What a row has of one stream: arrays of the layers that grow, for tokens [start, num_tokens), and exact ones.

    grown: [1, heads, num_tokens - start, size] each, always in the same order; () where nothing grows.
    fixed: exact at num_tokens, None where a layer holds nothing yet; () where the stream has none.
    """

    start: int
    num_tokens: int
    grown: tuple[mx.array, ...]
    fixed: tuple[mx.array | None, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamWanted:
    """A stream whose state a request could use; an exact one can be restored only where a checkpoint was put."""

    stream: Stream
    is_exact: bool = False
    minimum: int = 0  # tokens; a shorter prefix cannot be restored


@dataclass(frozen=True, slots=True)
class Wanted:
    """A prompt that is about to be read.

    streams: the target's first, then the drafter's if its state is worth keeping. num_old: prompt tokens before the
    last user message, 0 where no reply stands before it. tokens_per_second: measured prefill, 0.0 where unknown.
    template_id: of the template that the prompt was written with, "" where unknown.
    """

    request_id: int
    conversation_id: str
    streams: tuple[StreamWanted, ...]
    token_ids: tuple[int, ...]
    num_old: int = 0
    tokens_per_second: float = 0.0
    template_id: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What need not be read: `num_tokens` of the target, len(prompt) - 1 at most; and what is read again, and why.

    states: one a wanted stream, the drafter's never longer than the target's. num_reread: tokens that this conversation
    had read before and that must be read again. reason: the sentence for the user, "" where there are none; `code` is
    its code in engine/prompt_cache/reasons.py.
    """

    num_tokens: int
    num_reread: int = 0
    reason: str = ""
    code: str = ""
    states: tuple[Held | None, ...] = ()
