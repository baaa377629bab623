"""Counts and times of one reply while it runs, and the ratios that are shown of them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from engine.measuring import RoundTime
from engine.messages import GroupStatistics, Statistics
from engine.messages.statistics import NO_GROUP_STATISTICS


def acceptance_length(num_accepted: int, num_proposing_rounds: int) -> float:
    """Mean of accepted + 1 over the rounds that proposed; 0.0 where none did."""
    return num_accepted / num_proposing_rounds + 1 if num_proposing_rounds else 0.0


def decode_rate(num_tokens: int, num_first: int, seconds: float) -> float:
    """Tokens after those of the first delivery over the time since it, in tokens per second; 0.0 before the second."""
    return (num_tokens - num_first) / seconds if seconds > 0 and num_tokens > num_first else 0.0


def num_reached(num_proposed: int, num_verified: int, num_accepted: int) -> int:
    """Positions of a proposal whose forerunners were all accepted; what a stop left undelivered was not reached."""
    return min(num_proposed, num_accepted + 1) if num_verified == num_accepted else num_accepted


@dataclass(slots=True)
class ReplyCounter:
    """Counts of one reply; times are of the monotonic clock, so a changed wall clock cannot bend them."""

    sent_at: float  # when the request was sent; waiting counts into the time to the first token
    num_prompt: int = 0
    num_cached: int = 0
    num_read: int = 0
    num_reread: int = 0
    reread_reason: str = ""
    num_tokens: int = 0
    num_rounds: int = 0
    num_verified: int = 0
    num_rows: int = 0
    depth: int = 0
    depth_reason: str = ""
    draft_seconds: float = 0.0
    verify_seconds: float = 0.0
    extra_seconds: float = 0.0
    group: GroupStatistics = NO_GROUP_STATISTICS
    proposed_by_position: list[int] = field(default_factory=list)
    reached_by_position: list[int] = field(default_factory=list)
    accepted_by_position: list[int] = field(default_factory=list)
    _num_end_tokens: int = 0
    _time: RoundTime | None = None  # of the present round
    _plain_seconds: float = 0.0  # that plain decoding takes for the tokens of rounds whose plain cost is known
    _compared_seconds: float = 0.0  # that these rounds took
    _num_first: int = 0
    _first_at: float = 0.0
    _last_at: float = 0.0

    def time_round(self, time_taken: RoundTime, num_rows: int, group: GroupStatistics) -> None:
        """Add what a round took, before its tokens are counted."""
        self.draft_seconds += time_taken.draft
        self.verify_seconds += time_taken.verify
        self.num_rows = num_rows
        self.group = group
        self._time = time_taken

    def count_round(
        self,
        num_proposed: int,
        num_verified: int,
        num_accepted: int,
        num_delivered: int,
        *,
        has_end: bool = False,
    ) -> None:
        """Add one round: of its proposal tokens the target chose `num_verified`, of which `num_accepted` are delivered;
        `num_delivered` are all tokens of the round, an end token left out."""
        self.num_rounds += 1
        self.num_tokens += num_delivered
        self.num_verified += num_verified
        self._num_end_tokens += has_end
        _count_positions(self.proposed_by_position, num_proposed)
        _count_positions(self.reached_by_position, num_reached(num_proposed, num_verified, num_accepted))
        _count_positions(self.accepted_by_position, num_accepted)
        for counts in (self.reached_by_position, self.accepted_by_position):
            counts += [0] * (len(self.proposed_by_position) - len(counts))
        self._compare(num_proposed, num_delivered + has_end)
        if num_delivered:
            self._last_at = time.monotonic()
            if not self._num_first:
                self._num_first, self._first_at = num_delivered, self._last_at

    def statistics(self) -> Statistics:
        num_accepted = sum(self.accepted_by_position)
        num_proposing_rounds = self.proposed_by_position[0] if self.proposed_by_position else 0
        return Statistics(
            num_prompt=self.num_prompt,
            num_cached=self.num_cached,
            num_read=self.num_read,
            num_reread=min(self.num_reread, self.num_read),
            reread_reason=self.reread_reason if self.num_read >= self.num_reread else "",  # its count would be wrong
            num_tokens=self.num_tokens,
            num_rounds=self.num_rounds,
            num_proposed=sum(self.proposed_by_position),
            num_verified=self.num_verified,
            num_accepted=num_accepted,
            proposed_by_position=tuple(self.proposed_by_position),
            reached_by_position=tuple(self.reached_by_position),
            accepted_by_position=tuple(self.accepted_by_position),
            acceptance_length=acceptance_length(num_accepted, num_proposing_rounds),
            tokens_per_forward=self.num_tokens / self.num_rounds if self.num_rounds else 0.0,
            num_forwards_saved=max(0, self.num_tokens + self._num_end_tokens - self.num_rounds),
            tokens_per_second=decode_rate(self.num_tokens, self._num_first, self._last_at - self._first_at),
            time_to_first_token_seconds=self._first_at - self.sent_at if self._num_first else 0.0,
            num_rows=self.num_rows,
            depth=self.depth,
            depth_reason=self.depth_reason,
            draft_seconds=self.draft_seconds,
            verify_seconds=self.verify_seconds,
            extra_seconds=self.extra_seconds,
            speedup=self._plain_seconds / self._compared_seconds if self._compared_seconds else 0.0,
            group=self.group,
        )

    def _compare(self, num_proposed: int, num_forwards: int) -> None:
        """Weigh a round against the plain forwards that its tokens would have taken."""
        if self._time is None:
            return
        self.extra_seconds += self._time.extra if num_proposed else self._time.draft
        if self._time.plain:
            self._plain_seconds += num_forwards * self._time.plain
            self._compared_seconds += self._time.total
        self._time = None


def _count_positions(counts: list[int], num_positions: int) -> None:
    counts += [0] * (num_positions - len(counts))
    for position in range(num_positions):
        counts[position] += 1
