"""Rows whose proposals are copied from earlier text: what all such drafters share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import mlx.core as mx

from engine.drafters.base import ANY, DrafterState, DraftRow, Proposals, pack
from engine.forecast import Kind
from engine.kv.rows import StateChange

# By the tokens that agree before the copy. Replies of SmolLM2-135M-Instruct to 24 edits of code and 35 questions gave
# more (0.66 for a first token after 3, 0.83 after 5, 0.93 after 16): larger models repeat themselves less.
MATCH_KINDS = (
    (16, Kind("match of 16", (0.90, 0.95))),
    (8, Kind("match of 8", (0.80, 0.90, 0.92))),
    (5, Kind("match of 5", (0.60, 0.85, 0.90))),
    (4, Kind("match of 4", (0.40, 0.75, 0.85, 0.90))),
    (0, Kind("short match", (0.30, 0.70, 0.78, 0.82, 0.86, 0.89, 0.90))),
)


@dataclass(frozen=True, slots=True)
class Found:
    """What followed an earlier occurrence, and how many tokens before it agree with the row's last ones."""

    match_length: int
    token_ids: tuple[int, ...]

    @property
    def kind(self) -> Kind:
        return next(kind for least, kind in MATCH_KINDS if self.match_length >= least)


class Lookup(Protocol):
    """Finds what may follow one row's tokens; it is always asked with the same, growing, list."""

    def look_up(self, token_ids: Sequence[int], depth: int) -> Found | None: ...  # at most `depth` tokens


@dataclass(slots=True)
class LookupRow:
    lookup: Lookup
    num_tokens: int


class LookupRows:
    """Lookups of some rows; each indexes its row's tokens when it is first asked, so reading a prompt costs nothing."""

    num_bytes = 0  # its indices are no state of a model

    def __init__(self, open_lookup: Callable[[], Lookup]) -> None:
        self._open_lookup = open_lookup
        self._rows: list[LookupRow] = []

    def prefill(self, chunks: Sequence[Sequence[int]], context: mx.array | None) -> None:
        self._count([len(chunk) for chunk in chunks])

    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals:
        asked = zip(self._rows, rows, depths, strict=True)
        found = [row.lookup.look_up(seen.history, depth) if depth else None for row, seen, depth in asked]
        return pack([one.token_ids if one else () for one in found], [one.kind if one else ANY for one in found])

    def commit(self, kept: Sequence[int], context: mx.array | None) -> None:
        self._count(kept)

    def prepare_append(self, states: Sequence[DrafterState | None]) -> StateChange:
        staged = [LookupRow(self._open_lookup(), state.num_tokens if state else 0) for state in states]
        return StateChange(lambda: self._rows.extend(staged))

    def filter(self, keep: Sequence[int]) -> None:
        self._rows = [self._rows[index] for index in keep]

    def capture(self, row: int, start: int = 0) -> DrafterState:
        """No data: all of it follows from the row's tokens."""
        return DrafterState(self._rows[row].num_tokens)

    def _count(self, num_tokens: Sequence[int]) -> None:
        for row, count in zip(self._rows, num_tokens, strict=True):
            row.num_tokens += count


def match_length(text: Sequence[int], end: int, history: Sequence[int], known: int, most: int) -> int:
    """Tokens that agree before `end` of a text and before the end of a history: `known` do, `most` are looked at."""
    length = known
    while length < min(end, len(history), most) and text[end - length - 1] == history[-length - 1]:
        length += 1
    return length
