"""Which proposed tokens stand, and which tokens a row therefore emits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import mlx.core as mx


def count_accepted(target_ids: mx.array, proposal_ids: mx.array, num_proposed: mx.array) -> mx.array:
    """Count the leading proposal tokens that the target chose too.

    target_ids [rows, proposed + 1], proposal_ids [rows, proposed] padded right, num_proposed [rows]: int32.
    Returns [rows] int32, lazy. Exact for any drafter, since every emitted token is the target's own choice.
    Source: Leviathan et al. 2023, arXiv:2211.17192, algorithm 1, for a proposal of probability 1.
    """
    is_real = mx.arange(proposal_ids.shape[1], dtype=mx.int32) < num_proposed[:, None]
    agrees = (target_ids[:, :-1] == proposal_ids) & is_real
    return mx.sum(mx.cumprod(agrees.astype(mx.int32), axis=1), axis=1)


@dataclass(frozen=True, slots=True)
class Emission:
    """What one round adds to a row; `num_accepted` counts every accepted proposal token, an end token too."""

    token_ids: tuple[int, ...]
    num_accepted: int
    reason: str | None  # "stop" or "length" where the row ends here


def emit(target_ids: Sequence[int], num_accepted: int, end_ids: Collection[int], remaining: int) -> Emission:
    """Take accepted tokens and the bonus until an end token, which is never emitted, or the row's limit.

    target_ids [proposed + 1]: the target's choices; the first `num_accepted` equal the proposal.
    """
    token_ids: list[int] = []
    for index, token_id in enumerate(target_ids[: num_accepted + 1]):
        if token_id in end_ids:
            return Emission(tuple(token_ids), min(index + 1, num_accepted), "stop")
        token_ids.append(token_id)
        if len(token_ids) == remaining:
            return Emission(tuple(token_ids), min(index + 1, num_accepted), "length")
    return Emission(tuple(token_ids), num_accepted, None)
