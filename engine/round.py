"""One round of a group: propose, verify in one forward, choose, count what was accepted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from engine.acceptance import count_accepted
from engine.drafters.base import Proposals, pack
from engine.kv.rows import Rows
from engine.row import Row
from engine.sampling import choose
from engine.target import Target


@dataclass(frozen=True, slots=True)
class Launched:
    """A round whose forward is on its way; lazy."""

    target_ids: mx.array  # [rows, width] int32
    num_proposed: mx.array  # [rows] int32
    num_accepted: mx.array  # [rows] int32
    context: mx.array | None
    started_at: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """A round read back to the host; row i chose `target_ids[i]`, of which `num_accepted[i]` were proposed."""

    target_ids: list[list[int]]
    num_proposed: list[int]
    num_accepted: list[int]
    context: mx.array | None


def propose(rows: Sequence[Row], depths: Sequence[int]) -> Proposals:
    """Ask each row's own drafter; the rows of a group may have different ones."""
    started = time.monotonic()
    proposals = []
    for row, depth in zip(rows, depths, strict=True):
        proposed = row.draft_rows.propose([row.draft_view], [depth])
        (count,) = _read(proposed.num_proposed)
        proposals.append(_read(proposed.ids)[0][:count])
    seconds = time.monotonic() - started
    for row, depth in zip(rows, depths, strict=True):
        row.counter.draft_seconds += seconds
        row.counter.depth, row.counter.num_rows = depth, len(rows)
    return pack(proposals)


def launch(target: Target, state: Rows, rows: Sequence[Row], proposals: Proposals) -> Launched:
    """Start the one forward over all windows; nothing of it is kept yet."""
    started = time.monotonic()
    pending = mx.array([[row.pending] for row in rows], dtype=mx.int32)
    verified = target.verify(state, mx.concatenate([pending, proposals.ids], axis=1))
    target_ids = choose(verified.logits, [row.choice for row in rows])
    num_accepted = count_accepted(target_ids, proposals.ids, proposals.num_proposed)
    mx.async_eval(target_ids, num_accepted, proposals.num_proposed)
    return Launched(target_ids, proposals.num_proposed, num_accepted, verified.context, started)


def finish(rows: Sequence[Row], launched: Launched) -> Outcome:
    """Wait for a round and read it back."""
    mx.eval(launched.target_ids, launched.num_accepted, launched.num_proposed)
    seconds = time.monotonic() - launched.started_at
    for row in rows:
        row.counter.verify_seconds += seconds
    read = (_read(launched.target_ids), _read(launched.num_proposed), _read(launched.num_accepted))
    return Outcome(*read, launched.context)


def _read(array: mx.array) -> Any:
    """Nested lists of Python numbers; MLX types them as if they could be a single number."""
    return array.tolist()
