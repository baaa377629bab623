"""Acceptance: golden cases of the walk over a round's tokens."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.acceptance import Emission, count_accepted, emit

END = 0


@pytest.mark.parametrize(
    ("proposal", "target_ids", "accepted"),
    [
        ([10, 11, 12], [10, 99, 12, 13], 1),
        ([10, 11, 12], [10, 11, 12, 13], 3),
        ([10, 11, 12], [99, 11, 12, 13], 0),
        ([], [99], 0),
    ],
)
def test_leading_agreement_is_counted(proposal, target_ids, accepted):
    proposal_ids = mx.array([proposal], dtype=mx.int32).reshape(1, len(proposal))
    counted = count_accepted(mx.array([target_ids]), proposal_ids, mx.array([len(proposal)]))
    assert counted.tolist() == [accepted]


@pytest.mark.parametrize("padding", [0, 5, 12])
def test_padding_is_never_accepted_whatever_it_is(padding):
    proposal_ids = mx.array([[10, 11, 12], [7, padding, padding]])
    target_ids = mx.array([[10, 11, 12, 13], [7, padding, padding, padding]])
    assert count_accepted(target_ids, proposal_ids, mx.array([3, 1])).tolist() == [3, 1]


@pytest.mark.parametrize(
    ("target_ids", "accepted", "remaining", "expected"),
    [
        ([10, 99, 12], 1, 9, Emission((10, 99), 1, None)),
        ([10, 11, 12], 2, 9, Emission((10, 11, 12), 2, None)),
        ([99], 0, 9, Emission((99,), 0, None)),
        ([10, END, 12], 2, 9, Emission((10,), 2, "stop")),  # the end as an accepted proposal
        ([10, END], 1, 9, Emission((10,), 1, "stop")),  # as the bonus
        ([END, 11], 0, 9, Emission((), 0, "stop")),  # as the first token
        ([10, 11, 12], 2, 2, Emission((10, 11), 2, "length")),
        ([10, 11, 12], 2, 3, Emission((10, 11, 12), 2, "length")),
        ([10, 11, END], 2, 2, Emission((10, 11), 2, "length")),
        ([10, END, 12], 2, 1, Emission((10,), 1, "length")),
    ],
)
def test_tokens_are_emitted_up_to_an_end_or_the_limit(target_ids, accepted, remaining, expected):
    assert emit(target_ids, accepted, {END}, remaining) == expected
