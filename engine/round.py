"""One round of a group: propose, verify in one forward, choose, count what was accepted."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import mlx.core as mx

from engine.acceptance import count_accepted
from engine.companions import tap_layers_of
from engine.drafters.base import Proposals, pack, to_lists
from engine.kv.rows import Rows
from engine.messages import TokenLogprob
from engine.row import Row
from engine.sampling import Choice, RowScores, choose
from engine.target import Target


class BrokenLogitsError(Exception):
    """The target's output for a row is not made of numbers."""


@dataclass(frozen=True, slots=True)
class Launched:
    """A round whose forward is on its way; lazy."""

    drafted_ids: mx.array | None  # [rows, width - 1] int32, where a drafter is still at them
    target_ids: mx.array  # [rows, width] int32
    num_proposed: mx.array  # [rows] int32
    num_accepted: mx.array  # [rows] int32
    is_broken: mx.array  # [rows] bool: a logit was not a number
    scores: tuple[RowScores | None, ...]  # of the rows that asked for log probabilities
    context: mx.array | None
    draft_seconds: float = 0.0  # that its drafting was waited for before it was launched

    @property
    def is_plain(self) -> bool:
        """Whether nothing was proposed: then each row keeps its one position, whatever the target chose."""
        return self.target_ids.shape[1] == 1


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """One row's part of a round: it chose `target_ids`, of which the first `num_accepted` were proposed."""

    target_ids: list[int]
    num_proposed: int
    num_accepted: int
    is_broken: bool
    logprobs: tuple[TokenLogprob, ...]  # of each of `target_ids`; () where they were not asked for


def launch(target: Target, state: Rows, rows: Sequence[Row], proposals: Proposals) -> Launched:
    """Start the one forward over all windows; nothing of it is kept yet."""
    pending = mx.array([[row.pending] for row in rows], dtype=mx.int32)
    waited = _wait_for(proposals.ids) if any(row.grammar for row in rows) and not proposals.is_known else 0.0
    choices = [row.choice(_proposal_of(index, row, proposals)) for index, row in enumerate(rows)]
    return replace(_launch(target, state, rows, pending, proposals, choices), draft_seconds=waited)


def launch_ahead(target: Target, state: Rows, rows: Sequence[Row], last: Launched) -> Launched:
    """Start a plain round on the tokens of another one that has not been read yet."""
    assert last.is_plain
    choices = [row.choice_ahead() for row in rows]
    return _launch(target, state, rows, last.target_ids, pack([()] * len(rows)), choices)


def finish(launched: Launched) -> tuple[list[RowOutcome], float]:
    """Wait for a round and read it back; returns the seconds too that its drafting was waited for."""
    waited = 0.0 if launched.drafted_ids is None else _wait_for(launched.drafted_ids)
    read = [launched.target_ids, launched.num_proposed, launched.num_accepted, launched.is_broken]
    mx.eval(read, _arrays(launched.scores))
    outcomes = zip(*map(to_lists, read), launched.scores, strict=True)
    return [
        RowOutcome(ids, num_proposed, num_accepted, is_broken, _logprobs(ids, scores))
        for ids, num_proposed, num_accepted, is_broken, scores in outcomes
    ], launched.draft_seconds + waited


def _launch(
    target: Target,
    state: Rows,
    rows: Sequence[Row],
    pending: mx.array,
    proposals: Proposals,
    choices: Sequence[Choice],
) -> Launched:
    windows = mx.concatenate([pending, proposals.ids], axis=1)
    verified = target.verify(state, windows, tap_layers_of(rows))
    chosen = choose(verified.logits, windows, choices)
    num_accepted = count_accepted(chosen.ids, proposals.ids, proposals.num_proposed)
    is_broken = mx.isnan(mx.max(verified.logits, axis=(1, 2)))  # the greatest of values is NaN where one is
    context = [] if verified.context is None else [verified.context]  # left lazy, it would hold the forward's arrays
    mx.async_eval(chosen.ids, num_accepted, proposals.num_proposed, is_broken, _arrays(chosen.scores), context)
    return Launched(
        None if proposals.is_known else proposals.ids,
        chosen.ids,
        proposals.num_proposed,
        num_accepted,
        is_broken,
        chosen.scores,
        verified.context,
    )


def _proposal_of(index: int, row: Row, proposals: Proposals) -> list[int]:
    """A row's proposal where a grammar has to see it."""
    return to_lists(proposals.ids[index])[: to_lists(proposals.num_proposed[index])] if row.grammar else []


def _wait_for(drafted_ids: mx.array) -> float:
    """Wait for a drafter that is still at it; returns the seconds."""
    started = time.monotonic()
    mx.eval(drafted_ids)
    return time.monotonic() - started


def _logprobs(target_ids: Sequence[int], scores: RowScores | None) -> tuple[TokenLogprob, ...]:
    """One entry for each chosen token; a token of probability 0 is among the top of none."""
    if scores is None:
        return ()
    columns = zip(target_ids, *map(to_lists, (scores.chosen, scores.top_ids, scores.top_logprobs)), strict=True)
    return tuple(
        TokenLogprob(token_id, logprob, tuple(pair for pair in zip(ids, values, strict=True) if pair[1] > -math.inf))
        for token_id, logprob, ids, values in columns
    )


def _arrays(scores: Sequence[RowScores | None]) -> list[mx.array]:
    return [array for row in scores if row for array in (row.chosen, row.top_ids, row.top_logprobs)]
