"""What the rounds of one group take, for the cost table and for what is shown."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from engine.costs import CostTable, Place
from engine.depth import PLAIN_STRETCH
from engine.messages import GroupStatistics
from engine.round_clock import Device, RoundClock

RATE_SECONDS = 2.0  # that a live rate is over


@dataclass(frozen=True, slots=True)
class RoundTime:
    """Seconds of one round: all of it, of which drafting and verifying, and what a plain one takes; 0.0 unknown."""

    total: float
    draft: float
    verify: float
    plain: float

    @property
    def extra(self) -> float:
        """What proposals cost: drafting, and verifying beyond a plain forward."""
        return self.draft + (max(0.0, self.verify - self.plain) if self.plain else 0.0)


@dataclass(frozen=True, slots=True)
class RoundShape:
    """What a round's forward was over; `depth`: forwards of a drafter over `num_drafting` rows before it."""

    where: Place
    width: int
    was_ahead: bool
    drafter: str = ""
    num_drafting: int = 0
    depth: int = 0


class Measuring:
    """Owns a group's clock and counts; its target's cost table learns from them."""

    def __init__(
        self, costs: CostTable, device: Device | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Groups that take turns share a `device`; None is a device of one's own, which no other group uses."""
        self._costs = costs
        self._now = now
        self._clock = RoundClock(device or Device())
        self._stretch: list[float] = []  # seconds of plain rounds, each started ahead of the one before it was read
        self._place: Place | None = None
        self._host_draft_seconds = 0.0
        self._recent: deque[tuple[float, int]] = deque()
        self._time = RoundTime(0.0, 0.0, 0.0, 0.0)
        self._num_forwards = 0
        self._num_tokens = 0
        self._draft_seconds = 0.0
        self._verify_seconds = 0.0

    def begin(self) -> None:
        self._clock.begin(self._now())

    def propose(self, seconds: float) -> None:
        """Add what asking for proposals took."""
        self._host_draft_seconds += seconds

    def finish(self, shape: RoundShape, draft_seconds: float) -> RoundTime:
        """A round was read back; `draft_seconds`: what was waited for its drafting."""
        total = self._clock.finish(self._now(), shape.was_ahead)
        draft = self._host_draft_seconds + draft_seconds
        self._host_draft_seconds = 0.0
        verify = max(0.0, total - draft)
        if self._clock.is_alone:
            self._learn(shape, draft, verify)
        else:
            self._stretch = []
        self._time = RoundTime(total, draft, verify, self._costs.plain_seconds(shape.where))
        return self._time

    def end(self, is_flying: bool) -> None:
        """`is_flying`: the next round is launched."""
        self._clock.end(self._now(), is_flying)

    def deliver(self, num_tokens: int) -> None:
        """Add the round that was read back last, and the tokens that all rows got in it."""
        now = self._now()
        self._num_forwards += 1
        self._num_tokens += num_tokens
        self._draft_seconds += self._time.draft
        self._verify_seconds += self._time.verify
        self._recent.append((now, num_tokens))
        while now - self._recent[0][0] > RATE_SECONDS:
            self._recent.popleft()

    def statistics(self, num_rows: int) -> GroupStatistics:
        return GroupStatistics(
            num_rows=num_rows,
            num_forwards=self._num_forwards,
            num_tokens=self._num_tokens,
            tokens_per_forward=self._num_tokens / self._num_forwards if self._num_forwards else 0.0,
            tokens_per_second=live_rate(self._recent),
            draft_seconds=self._draft_seconds,
            verify_seconds=self._verify_seconds,
        )

    def _learn(self, shape: RoundShape, draft: float, verify: float) -> None:
        if shape.depth:
            self._costs.count_draft(shape.drafter, shape.num_drafting, shape.depth, draft)
        if not shape.was_ahead or shape.where != self._place:
            self._stretch, self._place = [], shape.where
        if not shape.was_ahead:
            self._costs.count_verify(shape.where, shape.width, verify)
            return
        self._stretch.append(verify)
        if len(self._stretch) == PLAIN_STRETCH:
            self._costs.count_plain(shape.where, median(self._stretch))  # a pause of the machine is no forward
            self._stretch = []


def live_rate(recent: deque[tuple[float, int]]) -> float:
    """Tokens per second from the first to the last of some deliveries (moment, tokens); 0.0 of fewer than two."""
    if len(recent) < 2 or recent[-1][0] <= recent[0][0]:
        return 0.0
    return sum(num_tokens for _, num_tokens in list(recent)[1:]) / (recent[-1][0] - recent[0][0])
