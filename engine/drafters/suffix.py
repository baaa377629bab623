"""Suffix decoding: propose what most often followed a row's last tokens, in its own text and in past replies.

Source: Oliaro et al. 2024, SuffixDecoding, arXiv:2411.04975. Its trees are an index of short runs here, from which the
longer matches of the latest few occurrences are worked out: texts can be taken out again, and no node is kept per
token and depth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.drafters.base import NO_LIMIT, NOTHING, DrafterSource, Known, TargetView
from engine.drafters.lookup import Found, LookupRows, match_length
from engine.drafters.suffix_store import KEY_LENGTH, Occurrence, OccurrenceIndex, SuffixStore
from engine.kv.state import StateKind

MAX_DEPTH = 16
LONGEST_MATCH = 32  # tokens of a match that are looked at
LEAST_PROBABILITY = 0.25  # of a token with all before it; one that is wrong more often costs more than it brings


@dataclass(frozen=True, slots=True)
class Scored:
    """A continuation and the number of its tokens that are expected to be right."""

    match_length: int
    token_ids: tuple[int, ...]
    score: float


@dataclass(slots=True)
class SuffixLookup:
    """The occurrences of one row's tokens, beside those of past replies."""

    store: SuffixStore
    vocab_size: int
    _index: OccurrenceIndex = field(default_factory=OccurrenceIndex)
    _num_indexed: int = 0

    def look_up(self, token_ids: Sequence[int], depth: int) -> Found | None:
        """The continuation with the best score; the row's own text goes before past replies of the same score."""
        self._index.add(token_ids, self._num_indexed, len(token_ids))
        self._num_indexed = len(token_ids)
        key = tuple(token_ids[-KEY_LENGTH:])
        own = best_continuation(self._index.latest(key), token_ids, depth)
        past = best_continuation(self.store.latest(key), token_ids, depth)
        best = max(own, past, key=lambda scored: scored.score)
        if not best.match_length:
            return None
        # Another model with this tokenizer may have rows for ids that this target lacks.
        is_known = all(0 <= token_id < self.vocab_size for token_id in best.token_ids)
        return Found(best.match_length, best.token_ids) if is_known else None


def best_continuation(occurrences: Sequence[Occurrence], history: Sequence[int], depth: int) -> Scored:
    """Of all match lengths the one whose continuation is expected to be right for the most tokens.

    The longest has the likeliest tokens, shorter ones more occurrences to count; length is capped by the match's own.
    """
    lengths = [match_length(place.text, place.end, history, KEY_LENGTH, LONGEST_MATCH) for place in occurrences]
    best = Scored(0, (), 0.0)
    for least in sorted(set(lengths), reverse=True):
        most = min(MAX_DEPTH, least, depth)
        if best.match_length and best.score >= most:
            break  # not even certainty would be better
        matching = [place for place, length in zip(occurrences, lengths, strict=True) if length >= least]
        token_ids, score = follow(matching, most)
        if not best.match_length or score > best.score:
            best = Scored(least, token_ids, score)
    return best


def follow(places: Sequence[Occurrence], most: int) -> tuple[tuple[int, ...], float]:
    """The most frequent continuation of some places, latest first, while it stays likely; and the expected hits."""
    token_ids: list[int] = []
    probability, score = 1.0, 0.0
    while len(token_ids) < most:
        index = len(token_ids)
        alive = [place for place in places if place.end + index < len(place.text)]
        counts = Counter(place.text[place.end + index] for place in alive)
        if not counts:
            break
        ((token_id, count),) = counts.most_common(1)  # the latest of equally frequent ones
        probability *= count / len(places)
        if probability < LEAST_PROBABILITY:
            break
        token_ids.append(token_id)
        score += probability
        places = [place for place in alive if place.text[place.end + index] == token_id]
    return tuple(token_ids), score


@dataclass(eq=False)
class SuffixDrafter:
    replies: SuffixStore
    identity: str = "suffix"
    weight_bytes: int = 0
    kv_bytes_per_token: int = 0
    needs: frozenset[str] = frozenset()
    tap_layers: tuple[int, ...] = ()
    max_depth: int = MAX_DEPTH
    chain: Known = NOTHING
    context_length: int = NO_LIMIT
    state_kind: StateKind | None = None

    def open(self, target: TargetView) -> LookupRows:
        return LookupRows(lambda: SuffixLookup(self.replies, target.vocab_size))


def load_suffix(source: DrafterSource) -> Iterator[SuffixDrafter]:
    yield SuffixDrafter(source.replies)
