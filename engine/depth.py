"""How many tokens a row's drafter may propose in a round."""

from __future__ import annotations


def choose_depth(max_depth: int, remaining: int, can_rewind: bool) -> int:
    """Most proposal tokens worth verifying for one row.

    `remaining` is what its limit leaves; the bonus takes one of it. A state that cannot be rewound allows none.
    """
    return max(0, min(max_depth, remaining - 1)) if can_rewind else 0
