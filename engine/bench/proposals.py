"""What the engine says of its own proposals, over all replies of a contender."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.bench.spread import Spread, spread
from engine.bench.timing import Run, first_times, last_times


@dataclass(frozen=True, slots=True)
class ProposalFigures:
    """Means are over rounds of all replies; `extra_share` is what proposals cost over the replies' decode time."""

    acceptance_length: float  # 0.0 where nothing was proposed
    tokens_per_forward: float
    num_forwards_saved: int
    extra_share: float
    draft_milliseconds: float  # a round
    verify_milliseconds: float  # a round
    speedup: Spread | None  # as the engine reports it, over the replies that have one


def proposal_figures(runs: Sequence[Run]) -> ProposalFigures | None:
    """Figures of the engine's statistics; None for runs without, which are mlx-lm's."""
    replies = [reply for run in runs for reply in run.statistics]
    if not replies:
        return None
    num_rounds = sum(reply.num_rounds for reply in replies)
    num_proposing = sum(reply.proposed_by_position[0] for reply in replies if reply.proposed_by_position)
    num_accepted = sum(reply.num_accepted for reply in replies)
    decode_seconds = sum(_row_seconds(run) for run in runs)
    return ProposalFigures(
        acceptance_length=1 + num_accepted / num_proposing if num_proposing else 0.0,
        tokens_per_forward=_over(sum(reply.num_tokens for reply in replies), num_rounds),
        num_forwards_saved=sum(reply.num_forwards_saved for reply in replies),
        extra_share=_over(sum(reply.extra_seconds for reply in replies), decode_seconds),
        draft_milliseconds=_over(1000 * sum(reply.draft_seconds for reply in replies), num_rounds),
        verify_milliseconds=_over(1000 * sum(reply.verify_seconds for reply in replies), num_rounds),
        speedup=spread([reply.speedup for reply in replies if reply.speedup]),
    )


def _row_seconds(run: Run) -> float:
    """Time from the first to the last delivery of each row, added up."""
    return sum(last_times(run.deliveries).values()) - sum(first_times(run.deliveries).values())


def _over(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
