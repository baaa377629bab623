"""TrackedReply: what one request has told of itself, round by round."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from app.conversations.records import Message, ReplyState
from app.conversations.totals import add_statistics
from app.statistics.rates import RateWindow
from app.statistics.rounds import RoundFigures, round_between
from app.statistics.series import Series
from engine.messages import Delta, Statistics

NUM_ROUNDS = 60
NUM_DEPTHS = 3  # stretches of one depth that are told apart; with more their mean is said


@dataclass(frozen=True, slots=True)
class DepthChange:
    before: int
    after: int
    reason: str
    at: float  # of the clock that the history reads


class TrackedReply:
    """`message` is what it began with and how it ended, without its text.

    `before` are the statistics of the part that is continued, `own` those of this request alone.
    """

    def __init__(self, request_id: int, message: Message) -> None:
        self.request_id = request_id
        self.message = replace(message, text="", token_ids=(), drafted=(), state=ReplyState.RUNNING)
        self.before = message.statistics if message.text else None
        self.own = Statistics()
        self.rounds: deque[RoundFigures] = deque(maxlen=NUM_ROUNDS)
        self.series = Series()
        self.last_change: DepthChange | None = None
        self.ended_at = 0.0  # wall clock; 0.0 while it runs
        self.told_at = 0.0  # wall clock, of the last round
        self.heard_at = 0.0  # of the history's clock, of the last round
        self._rates = RateWindow()
        self._depths: list[int] = []  # one for each stretch of rounds, NUM_DEPTHS at most

    @property
    def message_id(self) -> str:
        return self.message.id

    @property
    def conversation_id(self) -> str:
        return self.message.conversation_id

    @property
    def is_running(self) -> bool:
        return not self.ended_at

    @property
    def has_begun(self) -> bool:
        return self.own.num_rounds > 0

    @property
    def statistics(self) -> Statistics:
        """Of the whole reply, the part before it included."""
        return self.own if self.before is None else add_statistics(self.before, self.own)

    def rate(self, now: float) -> float | None:
        """Over the last seconds; None where there is too little to tell."""
        return self._rates.rate(now)

    def add(self, delta: Delta, at: float, wall: float) -> RoundFigures | None:
        """What this Delta's round did."""
        one = round_between(self.own, delta.statistics)
        self.own = delta.statistics
        self._rates.add(at, len(delta.token_ids))
        self.told_at, self.heard_at = wall, at
        if one is None:
            return None
        self._note_depth(one.depth, at)
        self.rounds.append(one)
        self.series.add(at, one)
        return one

    def finish(self, wall: float, statistics: Statistics, reason: str) -> None:
        """One that was never begun has no statistics at its end; those of its last round stay."""
        self.ended_at = wall
        self.message = replace(self.message, state=ReplyState.COMPLETE, finish_reason=reason)
        if statistics != Statistics():
            self.own = statistics

    def fail(self, wall: float, error: str) -> None:
        self.ended_at = wall
        self.message = replace(self.message, state=ReplyState.FAILED, error=error)

    @property
    def depth_words(self) -> str:
        """The depth while it runs; then "2, then 0", or the mean where it changed more often; "" where none drafted."""
        if not self.own.num_proposed:
            return ""
        if self.is_running:
            return f"{self.own.depth:,}"
        if 0 < len(self._depths) < NUM_DEPTHS:
            return ", then ".join(f"{depth:,}" for depth in self._depths)
        return f"mean {self.own.num_proposed / self.own.num_rounds:.1f}"

    def _note_depth(self, depth: int, at: float) -> None:
        last = self._depths[-1] if self._depths else None
        if self.rounds and self.rounds[-1].depth != depth:
            self.last_change = DepthChange(self.rounds[-1].depth, depth, self.own.depth_reason, at)
        if depth != last and len(self._depths) < NUM_DEPTHS:
            self._depths.append(depth)
