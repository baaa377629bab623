"""Drafts over a part of the target's vocabulary: which tokens it holds, and their logits among all the target's.

A drafter's draw uses the target's noise, whose size is the vocabulary's, so logits are spread over all of it; tokens
that are not drafted get minus infinity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import mlx.core as mx

from engine.drafters.base import TargetPorts

FREQUENT_TOKENS = 65_536  # of 248,320: 3.02 to 0.93 ms a drafted token of a 27B target's head, acceptance unchanged
LARGE_VOCABULARY = 2 * FREQUENT_TOKENS  # from which on leaving rows out of the head pays


class DraftVocabulary:
    """Owns the map between a drafter's tokens and its target's."""

    def __init__(self, target_ids: Sequence[int] | None, vocab_size: int) -> None:
        """target_ids: the target's id of each drafted token; None where the drafter has all `vocab_size` of them."""
        self.size = vocab_size if target_ids is None else len(target_ids)
        self._vocab_size = vocab_size
        self._places: mx.array | None = None
        if target_ids is not None:
            places = [len(target_ids)] * vocab_size  # of tokens that are not drafted: the column behind the last
            for place, token_id in enumerate(target_ids):
                places[token_id] = place
            self._places = mx.array(places, dtype=mx.int32)
            mx.eval(self._places)

    def spread(self, logits: mx.array) -> mx.array:
        """Logits over the target's vocabulary, [..., drafted tokens or more] to [..., vocabulary]."""
        if self._places is None:
            return fit_vocabulary(logits, self._vocab_size)
        padding = [(0, 0)] * (logits.ndim - 1) + [(0, 1)]
        padded = mx.pad(logits[..., : self.size], padding, constant_values=float("-inf"))
        return mx.take(padded, self._places, axis=-1)


def frequent_ids(vocab_size: int, replies: Iterable[Sequence[int]], always: Iterable[int] = ()) -> list[int]:
    """The FREQUENT_TOKENS ids that text has most often, ascending.

    `always` first, then what past replies hold, then by id: a byte-pair vocabulary is in the order of its merges, and
    these in the order of frequency.
    """
    counts = Counter(token_id for reply in replies for token_id in reply)
    ranked = [*always, *(token_id for token_id, _ in counts.most_common())]
    chosen = list(dict.fromkeys(token_id for token_id in ranked if 0 <= token_id < vocab_size))[:FREQUENT_TOKENS]
    held = set(chosen)
    rest = (token_id for token_id in range(vocab_size) if token_id not in held)
    return sorted(
        [*chosen, *(token_id for token_id, _ in zip(rest, range(FREQUENT_TOKENS - len(chosen)), strict=False))]
    )


Head = Callable[[mx.array], mx.array]


@dataclass(frozen=True, slots=True)
class DraftHead:
    """A head for drafting: logits over the tokens of `vocabulary`, and the bytes that it takes beside the target's."""

    logits: Head
    vocabulary: DraftVocabulary
    num_bytes: int = 0


def frequent_head(target: TargetPorts, vocab_size: int, replies: Iterable[Sequence[int]]) -> DraftHead:
    """A target's head for drafting: its frequent rows alone where the vocabulary is large, else all of it."""
    if vocab_size < LARGE_VOCABULARY:
        return DraftHead(target.head, DraftVocabulary(None, vocab_size))
    ids = frequent_ids(vocab_size, replies)
    logits, num_bytes = target.head_rows(mx.array(ids, dtype=mx.int32))
    return DraftHead(logits, DraftVocabulary(ids, vocab_size), num_bytes)


def fit_vocabulary(logits: mx.array, vocab_size: int) -> mx.array:
    """Exactly the target's columns: noise depends on how many there are, and padding differs by model."""
    missing = vocab_size - logits.shape[-1]
    if missing <= 0:
        return logits[..., :vocab_size]
    padding = [(0, 0)] * (logits.ndim - 1) + [(0, missing)]
    return mx.pad(logits, padding, constant_values=float("-inf"))
