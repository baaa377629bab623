"""Prompt lookup: propose what followed the latest earlier occurrence of a row's last tokens.

Source: Saxena 2023, prompt lookup decoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.drafters.base import NO_LIMIT, DrafterSource, TargetView
from engine.drafters.lookup import UNPARKING_MATCH, Found, LookupRows, match_length

MATCH_LENGTHS = (4, 3)  # longest first; shorter matches propose hundreds of tokens in prose and are right in a few
MAX_DEPTH = 8
LONG_PROPOSAL = 4


@dataclass(slots=True)
class NgramHistory:
    """One row's tokens and where each n-gram of them last ended."""

    token_ids: list[int] = field(default_factory=list)
    _ends: dict[tuple[int, ...], int] = field(default_factory=dict)  # n-gram to the index after its latest occurrence
    _num_indexed: int = 0

    def look_up(self, depth: int) -> Found | None:
        """Follow the latest earlier occurrence of the longest n-gram that ends the history."""
        self._index()
        for length in MATCH_LENGTHS:
            end = self._ends.get(tuple(self.token_ids[-length:])) if len(self.token_ids) >= length else None
            if end is not None:
                agreeing = match_length(self.token_ids, end, self.token_ids, length, UNPARKING_MATCH)
                num_proposed = min(MAX_DEPTH, proposal_length(agreeing), depth)
                return Found(agreeing, self._follow(end, num_proposed))
        return None

    def _follow(self, start: int, num_tokens: int) -> tuple[int, ...]:
        """The tokens from `start` on; past the end of the text what repeats goes on repeating."""
        period = len(self.token_ids) - start
        return tuple(self.token_ids[start + index % period] for index in range(num_tokens))

    def _index(self) -> None:
        """Index the n-grams that end before the last token, so that none finds itself."""
        for end in range(self._num_indexed + 1, len(self.token_ids)):
            for length in MATCH_LENGTHS:
                if end >= length:
                    self._ends[tuple(self.token_ids[end - length : end])] = end
            self._num_indexed = end


def proposal_length(match_length: int) -> int:
    """How far to follow a match: each agreeing token past the shortest match vouches for two more."""
    return 2 * (match_length - MATCH_LENGTHS[-1]) + MATCH_LENGTHS[-1]


class NgramDrafter:
    identity = "ngram"
    weight_bytes = 0
    needs: frozenset[str] = frozenset()
    tap_layers: tuple[int, ...] = ()
    max_depth = MAX_DEPTH
    context_length = NO_LIMIT

    def open(self, target: TargetView) -> LookupRows:
        return LookupRows(NgramHistory, LONG_PROPOSAL)


def load_ngram(source: DrafterSource) -> Iterator[NgramDrafter]:
    yield NgramDrafter()
