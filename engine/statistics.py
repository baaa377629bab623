"""Counts and times of one reply while it runs, and the ratios that are shown of them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from engine.messages import Statistics


def acceptance_length(num_accepted: int, num_proposing_rounds: int) -> float:
    """Mean of accepted + 1 over the rounds that proposed; 0.0 where none did."""
    return num_accepted / num_proposing_rounds + 1 if num_proposing_rounds else 0.0


def decode_rate(num_tokens: int, num_first: int, seconds: float) -> float:
    """Tokens after those of the first delivery over the time since it, in tokens per second; 0.0 before the second."""
    return (num_tokens - num_first) / seconds if seconds > 0 and num_tokens > num_first else 0.0


@dataclass(slots=True)
class ReplyCounter:
    """Counts of one reply; times are of the monotonic clock, so a changed wall clock cannot bend them."""

    sent_at: float  # when the request was sent; waiting counts into the time to the first token
    num_prompt: int = 0
    num_tokens: int = 0
    num_rounds: int = 0
    num_rows: int = 0
    depth: int = 0
    draft_seconds: float = 0.0
    verify_seconds: float = 0.0
    proposed_by_position: list[int] = field(default_factory=list)
    accepted_by_position: list[int] = field(default_factory=list)
    _num_first: int = 0
    _first_at: float = 0.0
    _last_at: float = 0.0

    def count_round(self, num_proposed: int, num_accepted: int, num_delivered: int) -> None:
        """Add one round; `num_accepted` are delivered proposal tokens, `num_delivered` all tokens of the round."""
        self.num_rounds += 1
        self.num_tokens += num_delivered
        _count_positions(self.proposed_by_position, num_proposed)
        _count_positions(self.accepted_by_position, num_accepted)
        self.accepted_by_position += [0] * (len(self.proposed_by_position) - len(self.accepted_by_position))
        if num_delivered:
            self._last_at = time.monotonic()
            if not self._num_first:
                self._num_first, self._first_at = num_delivered, self._last_at

    def statistics(self) -> Statistics:
        num_accepted = sum(self.accepted_by_position)
        num_proposing_rounds = self.proposed_by_position[0] if self.proposed_by_position else 0
        return Statistics(
            num_prompt=self.num_prompt,
            num_tokens=self.num_tokens,
            num_rounds=self.num_rounds,
            num_proposed=sum(self.proposed_by_position),
            num_accepted=num_accepted,
            proposed_by_position=tuple(self.proposed_by_position),
            accepted_by_position=tuple(self.accepted_by_position),
            acceptance_length=acceptance_length(num_accepted, num_proposing_rounds),
            tokens_per_forward=self.num_tokens / self.num_rounds if self.num_rounds else 0.0,
            tokens_per_second=decode_rate(self.num_tokens, self._num_first, self._last_at - self._first_at),
            time_to_first_token_seconds=self._first_at - self.sent_at if self._num_first else 0.0,
            num_rows=self.num_rows,
            depth=self.depth,
            draft_seconds=self.draft_seconds,
            verify_seconds=self.verify_seconds,
        )


def _count_positions(counts: list[int], num_positions: int) -> None:
    counts += [0] * (num_positions - len(counts))
    for position in range(num_positions):
        counts[position] += 1
