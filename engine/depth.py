"""How many tokens a group verifies in a round: as many as give the most tokens a second, none where none pays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.costs import CostTable, LocalCosts, Place, optimistic_ratio
from engine.drafters.base import Known
from engine.forecast import Forecast

LEAST_GAIN = 0.03  # over plain decoding; the estimates are wrong by as much
PROBE_SHARE = 0.02  # of its time that a row may spend on trying again what did not pay
PROBE_DEPTH = 2
PLAIN_STRETCH = 16  # plain forwards behind one another that their cost is measured over
MOST_MEASURING = 4 * PLAIN_STRETCH  # rounds given to it; replies that come and go may break every stretch
IDLE_ROUNDS = 4  # without a proposal that pays, after which a row lets plain rounds start ahead

NOTHING_FOUND = "The drafter has nothing to propose here."
MEASURING = "Plain decoding is being measured, to compare drafting with."
UNMEASURED = "What verifying takes here is not known yet."
PROBING = "Drafting did not pay lately and is tried again."
LITTLE_GAIN = "Drafting would gain less than 3% here."
DOUBTED = "The drafter does not trust what it would propose here."
ALL_VERIFIED = "Every proposal is verified."


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row before a round, as the choice of its depth sees it."""

    forecast: Forecast
    room: int  # tokens that may be proposed for it at most
    closed: str  # why there is no room; "" where there is
    can_run_ahead: bool
    remaining: int  # tokens that it may still write
    num_idle: int  # rounds since a proposal of it was verified
    seconds_since_probe: float
    drafter: str
    chain: Known  # what its drafter can write at the cost of forwards


@dataclass(frozen=True, slots=True)
class Decision:
    """How many tokens of each row's proposal are verified and why, and whether a plain round may start ahead."""

    lengths: tuple[int, ...]
    reasons: tuple[str, ...]
    runs_ahead: bool
    is_probe: bool = False


@dataclass(frozen=True, slots=True)
class Best:
    """The best width above 1, and its tokens per second over those of plain decoding; 0.0 where these are unknown."""

    width: int
    gain: float

    @property
    def pays(self) -> bool:
        return self.width > 1 and (not self.gain or self.gain > 1 + LEAST_GAIN)


class DepthPolicy(Protocol):
    """Chooses depths for the rows of one target's groups."""

    def plan(self, rows: Sequence[Candidate], where: Place) -> list[int]: ...  # tokens worth drafting with forwards
    def decide(self, rows: Sequence[Candidate], known: Sequence[Known], where: Place) -> Decision: ...


class FullDepth:
    """Verifies all that is proposed."""

    def plan(self, rows: Sequence[Candidate], where: Place) -> list[int]:
        return [min(row.room, row.chain.length) for row in rows]

    def decide(self, rows: Sequence[Candidate], known: Sequence[Known], where: Place) -> Decision:
        lengths = tuple(min(row.room, proposal.length) for row, proposal in zip(rows, known, strict=True))
        reasons = tuple(row.closed or ALL_VERIFIED for row in rows)
        return Decision(lengths, reasons, all(row.closed for row in rows))


class MeasuredDepth:
    """Weighs expected tokens against measured seconds, for all rows of a forward together."""

    def __init__(self, costs: CostTable) -> None:
        self._costs = costs
        self._num_measuring: Counter[tuple[int, str]] = Counter()  # by rows and KV scheme

    def plan(self, rows: Sequence[Candidate], where: Place) -> list[int]:
        """How far drafters that need forwards should write."""
        chains = [row for row in rows if min(row.room, row.chain.length)]
        costs = self._costs.at(where)
        if not chains or self._measures(rows, costs, where):
            return [0] * len(rows)
        survivals = [row.forecast.survival(row.chain.kind, min(row.room, row.chain.length)) for row in rows]
        num_drafted_for = sum(row.chain.length > 0 for row in rows)  # a drafter's forward is over all of its rows

        def seconds(width: int) -> float:
            num_forwards = chains[0].chain.num_forwards(width - 1)
            drafting = self._costs.draft_seconds(chains[0].drafter, num_drafted_for, num_forwards)
            return costs.verify(width) + drafting

        if not costs.base and self._tries_one_position(costs, where):
            return [0] * len(rows)
        best = best_width(survivals, costs.base, seconds)
        is_due = may_probe(chains, seconds(1 + PROBE_DEPTH) - costs.base)
        depth = best.width - 1 if best.pays else PROBE_DEPTH if is_due else 0
        return [min(row.room, row.chain.length, depth) for row in rows]

    def decide(self, rows: Sequence[Candidate], known: Sequence[Known], where: Place) -> Decision:
        costs = self._costs.at(where)
        if self._measures(rows, costs, where):
            self._num_measuring[where.rows, where.kv] += 1
            return Decision((0,) * len(rows), tuple(row.closed or MEASURING for row in rows), runs_ahead=True)
        caps = [min(row.room, proposal.length) for row, proposal in zip(rows, known, strict=True)]
        survivals = [
            row.forecast.survival(proposal.kind, cap) for row, proposal, cap in zip(rows, known, caps, strict=True)
        ]
        best = best_width(survivals, costs.base, costs.verify)
        drafted = max((cap for proposal, cap in zip(known, caps, strict=True) if not proposal.token_ids), default=0)
        has_drafted = any(proposal.num_drafted for proposal in known)
        is_probe = not best.pays and (has_drafted or is_worth_a_probe(rows, survivals, best, costs))
        width = best.width if best.pays or (is_probe and not has_drafted) else 1
        lengths = tuple(min(cap, max(width - 1, drafted)) for cap in caps)
        reasons = tuple(
            row.closed or (DOUBTED if proposal.num_doubted and not cap else explain(row, cap, best, is_probe))
            for row, proposal, cap in zip(rows, known, caps, strict=True)
        )
        return Decision(lengths, reasons, not any(lengths) and all(map(is_idle, rows)), is_probe)

    def _measures(self, rows: Sequence[Candidate], costs: LocalCosts, where: Place) -> bool:
        """Whether to decode plainly for a moment, since what it takes with so many rows was never measured here."""
        return (
            not costs.plain
            and self._num_measuring[where.rows, where.kv] < MOST_MEASURING
            and not all(row.closed for row in rows)
            and all(row.can_run_ahead and row.remaining > 2 * PLAIN_STRETCH for row in rows)
        )

    def _tries_one_position(self, costs: LocalCosts, where: Place) -> bool:
        """Whether to draft nothing for a moment, since wider forwards were measured and there is nothing to compare
        them with: rows that cannot run ahead, and short replies, measure no plain decoding."""
        is_due = costs.is_tried and self._num_measuring[where.rows, where.kv] < MOST_MEASURING
        self._num_measuring[where.rows, where.kv] += is_due
        return is_due


def best_width(survivals: Sequence[Sequence[float]], plain_seconds: float, seconds: Callable[[int], float]) -> Best:
    """The width above 1 with the most expected tokens per second; Best(1, 1.0) where nothing is proposed.

    survivals[i][j]: how likely row i's first j + 1 tokens are all right; `seconds` of a width. A row that proposes
    less than the others costs nothing more. While plain decoding was not measured, everything is tried.
    """
    longest = max(map(len, survivals), default=0)
    if not plain_seconds:
        return Best(1 + longest, 0.0)
    gains = {
        width: (1 + sum(sum(row[: width - 1]) for row in survivals) / len(survivals)) * plain_seconds / seconds(width)
        for width in range(2, longest + 2)
    }
    width = max(gains, key=lambda width: gains[width], default=1)
    return Best(width, gains.get(width, 1.0))


def may_probe(rows: Sequence[Candidate], extra_seconds: float) -> bool:
    """Whether trying costs so little of the time that has passed since these rows last tried."""
    return bool(rows) and all(extra_seconds <= PROBE_SHARE * row.seconds_since_probe for row in rows)


def is_worth_a_probe(
    rows: Sequence[Candidate], survivals: Sequence[Sequence[float]], best: Best, costs: LocalCosts
) -> bool:
    """Whether a width that was measured to be slow would pay if that was a slow moment, and may be tried again."""
    hoped = best_width(survivals, costs.base, lambda width: costs.base * optimistic_ratio(width))
    proposing = [row for row, survival in zip(rows, survivals, strict=True) if survival]
    return hoped.pays and may_probe(proposing, costs.verify(best.width) - costs.base)


def is_idle(row: Candidate) -> bool:
    return bool(row.closed) or row.num_idle >= IDLE_ROUNDS


def explain(row: Candidate, num_proposed: int, best: Best, is_probe: bool) -> str:
    """Why a row's depth is what it is, for the user."""
    if not num_proposed and not row.chain.length:
        return NOTHING_FOUND
    if not num_proposed:  # a drafter that writes whenever it is asked
        return LITTLE_GAIN if best.gain else UNMEASURED
    if is_probe:
        return PROBING
    if best.pays and not best.gain:
        return UNMEASURED
    if best.pays:
        return f"Verifying {best.width} tokens at once should give ×{best.gain:.1f} of plain decoding."
    if best.gain < 1:
        return f"Verifying {best.width} tokens at once would be {round(100 * (1 - best.gain))}% slower than plain here."
    return LITTLE_GAIN
