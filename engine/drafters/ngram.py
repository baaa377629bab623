"""Prompt lookup: propose what followed the latest earlier occurrence of a row's last tokens.

Source: Saxena 2023, prompt lookup decoding; the parking rule keeps text without repeats at the speed of plain decoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import mlx.core as mx

from engine.drafters.base import DrafterState, DraftRow, Proposals, TargetView, pack
from engine.kv.rows import StateChange
from engine.messages import ModelFacts

MATCH_LENGTHS = (4, 3)  # longest first; shorter matches propose hundreds of tokens in prose and are right in a few
MAX_DEPTH = 8
LONG_PROPOSAL = 4  # one that fails costs a visibly wider forward
FAILURES_BEFORE_PARKING = 2
UNPARKING_MATCH = 8  # a copy under way, not a chance repeat


@dataclass(slots=True)
class NgramHistory:
    """One row's tokens and where each n-gram of them last ended."""

    token_ids: list[int] = field(default_factory=list)
    ends: dict[tuple[int, ...], int] = field(default_factory=dict)  # n-gram to the index after its latest occurrence

    def extend(self, token_ids: Sequence[int]) -> None:
        for token_id in token_ids:
            self._index_end()
            self.token_ids.append(token_id)

    def _index_end(self) -> None:
        """Index the n-grams that end at the last token; done once a token follows, so none finds itself."""
        end = len(self.token_ids)
        for length in MATCH_LENGTHS:
            if end >= length:
                self.ends[tuple(self.token_ids[end - length : end])] = end

    def find(self) -> tuple[int, int] | None:
        """The index after the latest earlier occurrence of the last tokens, and how many tokens agree before it."""
        for length in MATCH_LENGTHS:
            end = self.ends.get(tuple(self.token_ids[-length:])) if len(self.token_ids) >= length else None
            if end is not None:
                return end, self._match_length(end, length)
        return None

    def follow(self, start: int, num_tokens: int) -> tuple[int, ...]:
        """The tokens from `start` on; past the end of the text what repeats goes on repeating."""
        period = len(self.token_ids) - start
        return tuple(self.token_ids[start + index % period] for index in range(num_tokens))

    def _match_length(self, end: int, known: int) -> int:
        """Tokens that agree before `end` and before the end of the history, at most UNPARKING_MATCH."""
        length, distance = known, len(self.token_ids) - end
        while length < min(end, UNPARKING_MATCH):
            if self.token_ids[end - length - 1] != self.token_ids[end + distance - length - 1]:
                break
            length += 1
        return length


@dataclass(slots=True)
class NgramRow:
    """Lookup and parking of one row."""

    history: NgramHistory = field(default_factory=NgramHistory)
    proposal: tuple[int, ...] = ()
    num_failures: int = 0

    def propose(self, pending: int, depth: int) -> tuple[int, ...]:
        self.history.extend((pending,))
        found = self.history.find()
        self.proposal = ()
        if found is not None:
            end, match_length = found
            if self.num_failures < FAILURES_BEFORE_PARKING or match_length >= UNPARKING_MATCH:
                num_proposed = min(MAX_DEPTH, proposal_length(match_length), depth)
                self.proposal = self.history.follow(end, num_proposed)
        return self.proposal

    def commit(self, kept: int) -> None:
        accepted = self.proposal[: kept - 1]
        self.history.extend(accepted)
        if accepted:
            self.num_failures = 0
        elif len(self.proposal) >= LONG_PROPOSAL:
            self.num_failures += 1
        self.proposal = ()


def proposal_length(match_length: int) -> int:
    """How far to follow a match: each agreeing token past the shortest match vouches for two more."""
    return 2 * (match_length - MATCH_LENGTHS[-1]) + MATCH_LENGTHS[-1]


class NgramRows:
    """Token history of some rows."""

    def __init__(self) -> None:
        self._rows: list[NgramRow] = []

    def prefill(self, token_ids: Sequence[int], context: mx.array | None) -> None:
        for row in self._rows:
            row.history.extend(token_ids)

    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals:
        return pack(
            [row.propose(seen.pending, depth) for row, seen, depth in zip(self._rows, rows, depths, strict=True)]
        )

    def commit(self, kept: Sequence[int], context: mx.array | None) -> None:
        for row, count in zip(self._rows, kept, strict=True):
            row.commit(count)

    def prepare_append(self, states: Sequence[DrafterState | None]) -> StateChange:
        staged = []
        for state in states:
            row = NgramRow()
            row.history.extend(state.data if state else ())
            staged.append(row)
        return StateChange(lambda: self._rows.extend(staged))

    def filter(self, keep: Sequence[int]) -> None:
        self._rows = [self._rows[index] for index in keep]

    def capture(self, row: int) -> DrafterState:
        token_ids = tuple(self._rows[row].history.token_ids)
        return DrafterState(len(token_ids), token_ids)


class NgramDrafter:
    identity = "ngram"
    weight_bytes = 0
    needs: frozenset[str] = frozenset()
    tap_layers: tuple[int, ...] = ()
    max_depth = MAX_DEPTH

    def open(self, target: TargetView) -> NgramRows:
        return NgramRows()


def load_ngram(path: Path | None, facts: ModelFacts) -> NgramDrafter:
    return NgramDrafter()
