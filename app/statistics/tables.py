"""What stands behind each chart: its numbers as a table, and one sentence about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from app.figures import write_amount, write_count, write_milliseconds, write_percent, write_ratio
from app.statistics.rounds import RoundFigures
from app.statistics.series import Point
from app.statistics.tracked import TrackedReply

UNKNOWN = "–"
NOT_COUNTED = "The model’s own token that ends each round is not counted."


@dataclass(frozen=True, slots=True)
class Table:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def text(self) -> str:
        """Tab-separated lines."""
        return "\n".join("\t".join(cells) for cells in (self.header, *self.rows))


@dataclass(frozen=True, slots=True)
class Position:
    """Rounds that proposed a token at this place, those that accepted all before it, and those that accepted it."""

    num_proposed: int
    num_reached: int
    num_accepted: int

    @property
    def share(self) -> float:
        return self.num_accepted / self.num_proposed if self.num_proposed else 0.0

    @property
    def percent(self) -> str:
        return write_percent(self.num_accepted, self.num_proposed).removesuffix("%")


def positions_of(replies: Sequence[TrackedReply]) -> tuple[Position, ...]:
    proposed = [sum(counts) for counts in zip_longest(*(one.own.proposed_by_position for one in replies), fillvalue=0)]
    reached = [sum(counts) for counts in zip_longest(*(one.own.reached_by_position for one in replies), fillvalue=0)]
    accepted = [sum(counts) for counts in zip_longest(*(one.own.accepted_by_position for one in replies), fillvalue=0)]
    return tuple(Position(*counts) for counts in zip_longest(proposed, reached, accepted, fillvalue=0))


def positions_table(positions: Sequence[Position]) -> Table:
    rows = tuple(
        (
            f"{place}",
            write_count(one.num_proposed),
            write_count(one.num_accepted),
            write_percent(one.num_accepted, one.num_proposed),
            write_percent(one.num_accepted, one.num_reached) if one.num_reached else "",
        )
        for place, one in enumerate(positions, start=1)
    )
    return Table(("Position", "Proposed", "Accepted", "Share", "If reached"), rows)


def positions_sentence(positions: Sequence[Position]) -> str:
    if not positions:
        return "Nothing was drafted."
    shares = ", ".join(f"{one.percent}%" for one in positions)
    return f"Accepted of what was proposed, from position 1 on: {shares}. {NOT_COUNTED}"


def series_table(points: Sequence[Point]) -> Table:
    """One row for ten seconds: means over the rounds of those seconds."""
    rows = []
    for start in sorted({int(one.seconds_ago) // 10 * 10 for one in points}):
        inside = [one for one in points if start <= one.seconds_ago < start + 10]
        lengths = [one.acceptance_length for one in inside if one.acceptance_length is not None]
        length = write_ratio(sum(lengths) / len(lengths)) if lengths else ""
        depth = write_ratio(sum(one.depth for one in inside) / len(inside))
        num_rounds = write_count(sum(one.num_rounds for one in inside))
        rows.append((f"{start} to {start + 10} s ago", length, depth, num_rounds))
    return Table(("When", "Acceptance length", "Depth", "Rounds"), tuple(rows))


def series_sentence(points: Sequence[Point]) -> str:
    lengths = [one.acceptance_length for one in points if one.acceptance_length is not None]
    if not lengths:
        return "Nothing was drafted in the last 5 minutes."
    depths = [one.depth for one in points]
    return (
        f"Acceptance length from {min(lengths):.1f} to {max(lengths):.1f}, "
        f"depth from {min(depths):.0f} to {max(depths):.0f}; plain decoding is 1."
    )


def rounds_table(rounds: Sequence[RoundFigures]) -> Table:
    """The newest first."""
    rows = tuple(
        (
            write_count(place),
            write_measured(one.verify),
            write_measured(one.draft),
            f"{one.num_accepted:,} of {one.num_proposed:,}",
            write_count(one.num_rows) if one.num_rows else UNKNOWN,
        )
        for place, one in enumerate(reversed(rounds), start=1)
    )
    return Table(("Rounds ago", forward_word(rounds).capitalize(), "Draft", "Accepted", "Replies"), rows)


def rounds_sentence(rounds: Sequence[RoundFigures]) -> str:
    if not are_timed(rounds):
        return "No round has been timed."
    verify, draft = mean_times(rounds)
    words = f"{forward_word(rounds)} {write_measured(verify)}"
    words += f", draft {write_measured(draft)}" if has_drafted(rounds) else ""
    return f"A round takes {write_milliseconds(verify + draft)}: {words}, mean of {write_amount(len(rounds), 'round')}."


def write_measured(seconds: float) -> str:
    """A dash where nothing was timed."""
    return write_milliseconds(seconds) if seconds else UNKNOWN


def are_timed(rounds: Sequence[RoundFigures]) -> bool:
    return any(one.verify_seconds or one.draft_seconds for one in rounds)


def has_drafted(rounds: Sequence[RoundFigures]) -> bool:
    """Whether a drafter took part, be it without finding anything."""
    return any(one.num_proposed or one.draft_seconds for one in rounds)


def forward_word(rounds: Sequence[RoundFigures]) -> str:
    """What the target's forwards did."""
    return "verify" if any(one.num_proposed for one in rounds) else "forward"


def mean_times(rounds: Sequence[RoundFigures]) -> tuple[float, float]:
    """Verify and draft seconds of a round."""
    num_rounds = sum(one.num_rounds for one in rounds)
    verify, draft = sum(one.verify_seconds for one in rounds), sum(one.draft_seconds for one in rounds)
    return verify / num_rounds, draft / num_rounds
