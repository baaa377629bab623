"""What learning to write token by token has in common: places of a chain, the loss, and what would be accepted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import mlx.core as mx
import mlx.nn as nn

from engine.training.batches import Batch
from engine.training.teacher import Teacher


class Student(Protocol):
    """A drafter that is taught; its functions depend on their arguments and its module's weights alone."""

    @property
    def module(self) -> nn.Module: ...
    def logits(self, batch: Batch, num_steps: int) -> tuple[mx.array, mx.array]:
        """What it says of the tokens drafted at each anchor, each step given that those before are right, and what
        the target says there: both [rows, anchors, steps, drafted tokens]."""


def places(batch: Batch, num_steps: int) -> tuple[mx.array, mx.array]:
    """Position of the token that each step drafts, [rows, anchors, steps] int32, and whether it is in the row.

    Step k at anchor i drafts token i + 2 + k: the target says it at position i + 1 + k.
    """
    positions = batch.anchors[..., None] + 2 + mx.arange(num_steps, dtype=mx.int32)
    return positions, positions < batch.lengths[:, None, None]


def take(array: mx.array, positions: mx.array) -> mx.array:
    """Rows' entries at positions, [rows, width, size] and [rows, …] to [rows, …, size]; past the end, the last one."""
    flat = mx.minimum(positions, array.shape[1] - 1).reshape(positions.shape[0], -1, 1)
    return mx.take_along_axis(array, flat, axis=1).reshape(*positions.shape, array.shape[-1])


def distillation_loss(student: Student, batch: Batch, num_steps: int, decay: float) -> mx.array:
    """Cross entropy to the target's distribution over the drafted tokens, a step weighing `decay` of the one before."""
    drafted, wanted = student.logits(batch, num_steps)
    _, is_there = places(batch, num_steps)
    weights = is_there * decay ** mx.arange(num_steps)
    wanted = mx.softmax(wanted.astype(mx.float32), axis=-1)
    drafted = drafted.astype(mx.float32)
    entropy = mx.logsumexp(drafted, axis=-1) - (wanted * drafted).sum(axis=-1)
    return (entropy * weights).sum() / mx.maximum(weights.sum(), 1.0)


def count_right(student: Student, batch: Batch, num_steps: int, draft_places: mx.array) -> mx.array:
    """Leading steps at which greedy drafting hits the row's own tokens, [rows, anchors] int32.

    draft_places [vocabulary]: place of each of the target's tokens among those drafted, -1 for one that is not. A step
    after a miss would see other tokens than the row's, and does not count: so this is exact for greedy replies.
    """
    drafted, _ = student.logits(batch, num_steps)
    positions, is_there = places(batch, num_steps)
    wanted = draft_places[take(batch.token_ids[..., None], positions)[..., 0]]
    is_right = (mx.argmax(drafted, axis=-1) == wanted) & is_there
    return mx.cumprod(is_right.astype(mx.int32), axis=-1).sum(axis=-1)


def embed(teacher: Teacher, token_ids: mx.array) -> mx.array:
    """Embeddings as a drafter that borrows them sees them; nothing is learned through them."""
    return mx.stop_gradient(teacher.embed(token_ids))


def acceptance_length(counts: Sequence[Sequence[int]], num_tokens: Sequence[int]) -> tuple[float, list[float]]:
    """Tokens a round over rows whose rounds begin where the last one ended, and the acceptance at each step.

    counts[row][j]: steps that are right at the row's j-th anchor, all anchors in order; num_tokens[row]: its reply's
    tokens after the first one.
    """
    rounds = tokens = 0
    reached: list[int] = []
    hit: list[int] = []
    for row, length in zip(counts, num_tokens, strict=True):
        place = 0
        while place < length:
            right = row[place] if place < len(row) else 0
            rounds += 1
            tokens += min(right + 1, length - place)
            _note(reached, hit, right)
            place += right + 1
    return tokens / max(rounds, 1), [done / most for done, most in zip(hit, reached, strict=True) if most]


def _note(reached: list[int], hit: list[int], right: int) -> None:
    """Count that a round came to step `right` and had all before it right."""
    while len(reached) <= right:
        reached.append(0)
        hit.append(0)
    for step in range(right + 1):
        reached[step] += 1
        hit[step] += step < right
