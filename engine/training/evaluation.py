"""How long a taught drafter's proposals hold on replies that it has not seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from engine.training.batches import Batch, first_anchor, last_anchor
from engine.training.chain import Student, acceptance_length, count_right
from engine.training.corpus import Sample

ANCHORS = 64  # at once, so that memory stays that of a step of training


@dataclass(frozen=True, slots=True)
class Judged:
    """Acceptance length over greedy replies, and how often each step was right where those before it were."""

    acceptance_length: float
    by_step: tuple[float, ...]


def judge(
    student: Student, samples: Sequence[Sample], num_steps: int, draft_ids: Sequence[int], vocab_size: int
) -> Judged:
    """Walk through greedy replies round by round, each beginning where the one before ended."""
    draft_places = np.full(vocab_size, -1, dtype=np.int32)
    draft_places[list(draft_ids)] = np.arange(len(draft_ids))
    table = mx.array(draft_places)
    counts = [[*_counts(student, sample, num_steps, table)] for sample in samples]
    length, by_step = acceptance_length(counts, [sample.num_reply - 1 for sample in samples])
    return Judged(length, tuple(by_step[:num_steps]))


def _counts(student: Student, sample: Sample, num_steps: int, table: mx.array) -> Iterator[int]:
    ids = mx.array([list(sample.token_ids)], dtype=mx.int32)
    anchors = np.arange(first_anchor(sample), last_anchor(sample) + 1, dtype=np.int32)
    for start in range(0, len(anchors), ANCHORS):
        batch = Batch(ids, mx.array([len(sample.token_ids)]), mx.array(anchors[None, start : start + ANCHORS]))
        counts: list[list[int]] = count_right(student, batch, num_steps, table).tolist()  # type: ignore[assignment]
        yield from counts[0]
