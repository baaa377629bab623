"""What a round did, from the difference between the statistics of two Deltas."""

from __future__ import annotations

from dataclasses import dataclass

from engine.messages import Statistics


@dataclass(frozen=True, slots=True)
class RoundFigures:
    """What the rounds between two Deltas did; of a batch where `num_tokens` and the like were added up.

    The times are of the forward, which all rows of the batch share. `num_replies` are those that told of it.
    """

    num_rounds: int
    num_tokens: int
    num_proposed: int
    num_proposing: int  # rounds that proposed
    num_accepted: int
    depth: int
    num_rows: int
    draft_seconds: float
    verify_seconds: float
    num_replies: int = 1

    @property
    def verify(self) -> float:
        """Seconds of one round."""
        return self.verify_seconds / self.num_rounds

    @property
    def draft(self) -> float:
        """Seconds of one round."""
        return self.draft_seconds / self.num_rounds


def round_between(before: Statistics, after: Statistics) -> RoundFigures | None:
    """None where no round lies between."""
    num_rounds = after.num_rounds - before.num_rounds
    if num_rounds <= 0:
        return None
    return RoundFigures(
        num_rounds=num_rounds,
        num_tokens=after.num_tokens - before.num_tokens,
        num_proposed=after.num_proposed - before.num_proposed,
        num_proposing=num_proposing_of(after) - num_proposing_of(before),
        num_accepted=after.num_accepted - before.num_accepted,
        depth=after.depth,
        num_rows=after.num_rows,
        draft_seconds=max(0.0, after.draft_seconds - before.draft_seconds),
        verify_seconds=max(0.0, after.verify_seconds - before.verify_seconds),
    )


def join_rows(first: RoundFigures, second: RoundFigures) -> RoundFigures:
    """One forward of two replies: counts are added, the times are the same and stay."""
    return RoundFigures(
        num_rounds=first.num_rounds,
        num_tokens=first.num_tokens + second.num_tokens,
        num_proposed=first.num_proposed + second.num_proposed,
        num_proposing=first.num_proposing + second.num_proposing,
        num_accepted=first.num_accepted + second.num_accepted,
        depth=max(first.depth, second.depth),
        num_rows=second.num_rows,
        draft_seconds=first.draft_seconds,
        verify_seconds=first.verify_seconds,
        num_replies=first.num_replies + second.num_replies,
    )


def num_proposing_of(statistics: Statistics) -> int:
    """Rounds that proposed anything."""
    return statistics.proposed_by_position[0] if statistics.proposed_by_position else 0
