"""Drafts over a part of the vocabulary keep the target's ids and its noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx

from engine.drafters import vocabulary
from engine.drafters.base import TargetPorts
from engine.drafters.vocabulary import DraftVocabulary, fit_vocabulary, frequent_head, frequent_ids

LOWEST = -float("inf")


def test_logits_are_spread_over_the_targets_tokens():
    drafted = DraftVocabulary([4, 0, 2], 6)
    assert drafted.spread(mx.array([[1.0, 2.0, 3.0]])).tolist() == [[2.0, LOWEST, 3.0, LOWEST, 1.0, LOWEST]]
    assert drafted.size == 3


def test_whole_vocabulary_is_cut_or_filled_to_the_targets():
    logits = mx.array([[[1.0, 3.0, 2.0]]])
    assert fit_vocabulary(logits, 1).tolist() == [[[1.0]]]
    assert DraftVocabulary(None, 4).spread(logits).tolist() == [[[1.0, 3.0, 2.0, LOWEST]]]


def test_frequent_ids_are_those_of_past_replies_then_those_merged_first(monkeypatch):
    monkeypatch.setattr(vocabulary, "FREQUENT_TOKENS", 4)
    assert frequent_ids(100, [[90, 7, 90], [90, 7, 55]], always=[99]) == [7, 55, 90, 99]
    assert frequent_ids(100, [[90], [200]]) == [0, 1, 2, 90]


def ports(head: Callable[[mx.array], mx.array], head_rows: Callable[..., Any]) -> TargetPorts:
    return TargetPorts(8, 2, 1.0, head, head, head_rows)


def test_small_head_is_used_whole():
    head = frequent_head(ports(lambda hidden: hidden, lambda ids: 1 / 0), 1000, [])
    assert (head.vocabulary.size, head.num_bytes) == (1000, 0)
    assert head.logits(mx.array([1.0])).tolist() == [1.0]


def test_large_head_gives_the_same_logits_for_its_rows(monkeypatch):
    monkeypatch.setattr(vocabulary, "FREQUENT_TOKENS", 5)
    monkeypatch.setattr(vocabulary, "LARGE_VOCABULARY", 10)
    weight = mx.random.normal((40, 8))
    whole = lambda hidden: hidden @ weight.T  # noqa: E731
    some = lambda ids: (lambda hidden: hidden @ weight[ids].T, 4 * 5 * 8)  # noqa: E731
    head = frequent_head(ports(whole, some), 40, [[33, 21]])
    hidden = mx.random.normal((2, 8))
    spread = head.vocabulary.spread(head.logits(hidden))
    assert head.num_bytes == 160
    assert mx.isfinite(spread).sum().item() == 10
    assert mx.allclose(mx.where(mx.isfinite(spread), spread, 0), mx.where(mx.isfinite(spread), whole(hidden), 0))
