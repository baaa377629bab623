"""Rows whose proposals are copied from earlier text: what all such drafters share, the parking rule among it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import mlx.core as mx

from engine.drafters.base import DrafterState, DraftRow, Proposals, pack
from engine.kv.rows import StateChange

FAILURES_BEFORE_PARKING = 2
UNPARKING_MATCH = 8  # a copy under way, not a chance repeat


@dataclass(frozen=True, slots=True)
class Found:
    """What followed an earlier occurrence, and how many tokens before it agree with the row's last ones."""

    match_length: int
    token_ids: tuple[int, ...]


class History(Protocol):
    """One row's tokens, and what may follow them."""

    token_ids: list[int]

    def look_up(self, depth: int) -> Found | None: ...  # at most `depth` tokens


@dataclass(slots=True)
class Parking:
    """Stops a row's proposals after some that failed whole, until it copies: prose keeps the speed of plain decoding.

    Only proposals of `long_proposal` tokens count; one that fails costs a visibly wider forward.
    """

    long_proposal: int
    num_failures: int = 0

    def allows(self, match_length: int) -> bool:
        return self.num_failures < FAILURES_BEFORE_PARKING or match_length >= UNPARKING_MATCH

    def count(self, num_proposed: int, num_accepted: int) -> None:
        if num_accepted:
            self.num_failures = 0
        elif num_proposed >= self.long_proposal:
            self.num_failures += 1


@dataclass(slots=True)
class LookupRow:
    """Lookup and parking of one row."""

    history: History
    parking: Parking
    proposal: tuple[int, ...] = field(default=())

    def propose(self, pending: int, depth: int) -> tuple[int, ...]:
        self.history.token_ids.append(pending)
        found = self.history.look_up(depth)
        self.proposal = found.token_ids if found and self.parking.allows(found.match_length) else ()
        return self.proposal

    def commit(self, kept: int) -> None:
        accepted = self.proposal[: max(kept - 1, 0)]
        self.history.token_ids.extend(accepted)
        self.parking.count(len(self.proposal), len(accepted))
        self.proposal = ()


class LookupRows:
    """Token history of some rows; it is indexed at the first proposal, so reading a prompt costs nothing."""

    def __init__(self, open_history: Callable[[], History], long_proposal: int) -> None:
        self._open_history = open_history
        self._long_proposal = long_proposal
        self._rows: list[LookupRow] = []

    def prefill(self, chunks: Sequence[Sequence[int]], context: mx.array | None) -> None:
        for row, chunk in zip(self._rows, chunks, strict=True):
            row.history.token_ids.extend(chunk)

    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals:
        seen = zip(self._rows, rows, depths, strict=True)
        return pack([row.propose(view.pending, depth) for row, view, depth in seen])

    def commit(self, kept: Sequence[int], context: mx.array | None) -> None:
        for row, count in zip(self._rows, kept, strict=True):
            row.commit(count)

    def prepare_append(self, states: Sequence[DrafterState | None]) -> StateChange:
        staged = list(self._open_rows(states))
        return StateChange(lambda: self._rows.extend(staged))

    def filter(self, keep: Sequence[int]) -> None:
        self._rows = [self._rows[index] for index in keep]

    def capture(self, row: int) -> DrafterState:
        token_ids = tuple(self._rows[row].history.token_ids)
        return DrafterState(len(token_ids), token_ids)

    def _open_rows(self, states: Sequence[DrafterState | None]) -> Iterator[LookupRow]:
        for state in states:
            history = self._open_history()
            history.token_ids.extend(state.data if state else ())
            yield LookupRow(history, Parking(self._long_proposal))


def match_length(text: Sequence[int], end: int, history: Sequence[int], known: int, most: int) -> int:
    """Tokens that agree before `end` of a text and before the end of a history: `known` do, `most` are looked at."""
    length = known
    while length < min(end, len(history), most) and text[end - length - 1] == history[-length - 1]:
        length += 1
    return length
