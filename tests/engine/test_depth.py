"""Depth: how many tokens may be proposed."""

from __future__ import annotations

from engine.depth import choose_depth


def test_depth_leaves_room_for_the_bonus_within_the_limit():
    assert [choose_depth(8, remaining, can_rewind=True) for remaining in (1, 2, 5, 9, 100)] == [0, 1, 4, 8, 8]


def test_state_that_cannot_be_rewound_allows_no_proposal():
    assert choose_depth(8, 100, can_rewind=False) == 0
