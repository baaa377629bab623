"""The target's own scores for a text, and how far the shape of a forward moves them.

The text is read with mlx-lm's own caches, in windows that need no rewind: what a fault of our rows, masks or rewinds
does to a score is not in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import make_prompt_cache

from engine.drafters.base import to_lists
from engine.messages import Sampling
from engine.sampling import Choice, weigh

LONG_CHUNK = 512  # prompt tokens in one forward of the plain reading
SHORT_CHUNK = 32  # of the other one, since the engine cuts a prompt by the clock


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """Rows of a forward, and positions of each."""

    num_rows: int
    width: int


@dataclass(frozen=True, slots=True)
class Measured:
    """The choice of one token, as the target makes it alone."""

    scores: mx.array  # [vocabulary] float32; the token with the most is chosen
    movement: float  # most that a score moved between single tokens and the windows that were used
    spread: float  # standard deviation of the scores without noise
    largest: float  # greatest magnitude of a score without noise
    dtype: mx.Dtype  # of the logits


def measure(
    model: nn.Module, prompt_ids: Sequence[int], reply_ids: Sequence[int], rules: Sampling, shapes: Collection[Shape]
) -> Measured:
    """Weigh the token after `reply_ids`; movement is over the whole vocabulary at every position of the reply."""
    token_ids, num_read = [*prompt_ids, *reply_ids], len(prompt_ids) - 1
    movements = [_movement(model, token_ids, num_read, shape) for shape in sorted(shapes)]
    for logits in read_windows(model, token_ids, num_read, Shape(1, 1), LONG_CHUNK):
        last = logits
    scale = rules.temperature or 1.0
    finite = mx.where(mx.isfinite(last), last.astype(mx.float32), 0) / scale
    scores = weigh(last[None], [Choice(rules, len(reply_ids))])[0, 0].astype(mx.float32)
    spread, largest = to_lists(mx.stack([mx.std(finite), mx.max(mx.abs(finite))]))
    return Measured(scores, max(movements) / scale, spread, largest, last.dtype)


def read_windows(
    model: nn.Module, token_ids: Sequence[int], num_read: int, shape: Shape, chunk: int
) -> Iterator[mx.array]:
    """The logits after each token from `num_read` on, a window at a time: [at most width, vocabulary].

    The same text stands in every row. The last window is filled up on the right, where no token before can see it.
    """
    missing = -(len(token_ids) - num_read) % shape.width
    filled = [*token_ids, *[token_ids[-1]] * missing]
    rows = mx.array([filled] * shape.num_rows, dtype=mx.int32)
    cache = make_prompt_cache(model)
    for start in range(0, num_read, chunk):
        model(rows[:, start : min(start + chunk, num_read)], cache=cache)
        mx.eval([layer.state for layer in cache])
    for start in range(num_read, len(token_ids), shape.width):
        logits = model(rows[:, start : start + shape.width], cache=cache)[0]
        yield logits[: len(token_ids) - start]


def _movement(model: nn.Module, token_ids: Sequence[int], num_read: int, shape: Shape) -> float:
    """The most that a logit differs between single tokens of one row and windows of a shape."""
    alone = read_windows(model, token_ids, num_read, Shape(1, 1), LONG_CHUNK)
    most = 0.0
    for window in read_windows(model, token_ids, num_read, shape, SHORT_CHUNK):
        singles = mx.concatenate(list(islice(alone, len(window)))).astype(mx.float32)
        moved = mx.where(singles == window, 0, mx.abs(singles - window))  # infinite ones are equal
        most = max(most, to_lists(mx.max(moved)))
    return most
