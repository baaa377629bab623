"""Prompt lookup: propose what followed the latest earlier occurrence of a row's last tokens.

Source: Saxena 2023, prompt lookup decoding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.drafters.base import NO_LIMIT, NOTHING, DrafterSource, TargetView
from engine.drafters.lookup import Found, LookupRows, match_length
from engine.kv.state import StateKind

MATCH_LENGTHS = (4, 3)  # longest first; shorter matches propose hundreds of tokens in prose and are right in a few
LONGEST_MATCH = 16  # tokens of a match that are looked at
MAX_DEPTH = 16


@dataclass(slots=True)
class NgramLookup:
    """Where each n-gram of one row's tokens last ended."""

    _ends: dict[tuple[int, ...], int] = field(default_factory=dict)  # n-gram to the index after its latest occurrence
    _num_indexed: int = 0

    def look_up(self, token_ids: Sequence[int], depth: int) -> Found | None:
        """Follow the latest earlier occurrence of the longest n-gram that ends the tokens."""
        self._index(token_ids)
        for length in MATCH_LENGTHS:
            end = self._ends.get(tuple(token_ids[-length:])) if len(token_ids) >= length else None
            if end is not None:
                agreeing = match_length(token_ids, end, token_ids, length, LONGEST_MATCH)
                return Found(agreeing, follow(token_ids, end, min(MAX_DEPTH, proposal_length(agreeing), depth)))
        return None

    def _index(self, token_ids: Sequence[int]) -> None:
        """Index the n-grams that end before the last token, so that none finds itself."""
        for end in range(self._num_indexed + 1, len(token_ids)):
            for length in MATCH_LENGTHS:
                if end >= length:
                    self._ends[tuple(token_ids[end - length : end])] = end
            self._num_indexed = end


def follow(token_ids: Sequence[int], start: int, num_tokens: int) -> tuple[int, ...]:
    """The tokens from `start` on; past the end of the text what repeats goes on repeating."""
    period = len(token_ids) - start
    return tuple(token_ids[start + index % period] for index in range(num_tokens))


def proposal_length(match_length: int) -> int:
    """How far to follow a match: each agreeing token past the shortest match vouches for two more."""
    return 2 * (match_length - MATCH_LENGTHS[-1]) + MATCH_LENGTHS[-1]


class NgramDrafter:
    identity = "ngram"
    weight_bytes = 0
    kv_bytes_per_token = 0
    needs: frozenset[str] = frozenset()
    tap_layers: tuple[int, ...] = ()
    max_depth = MAX_DEPTH
    chain = NOTHING
    context_length = NO_LIMIT
    state_kind: StateKind | None = None

    def open(self, target: TargetView) -> LookupRows:
        return LookupRows(NgramLookup)


def load_ngram(source: DrafterSource) -> Iterator[NgramDrafter]:
    yield NgramDrafter()
