"""What a row brings to the choice of its tokens, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx

from engine.messages import Sampling


@dataclass(frozen=True, slots=True)
class Choice:
    """How one row chooses in one round."""

    rules: Sampling
    position: int  # index in the reply of the token that follows the pending one
    history: Sequence[int] = ()  # tokens before the pending one, at least as many as the penalties look at
    masks: Sequence[bytes] = ()  # of each window position: a bit for each token that the grammar allows; () for all


@dataclass(frozen=True, slots=True)
class RowScores:
    """Log probabilities of one row's window; lazy.

    chosen [width] of the chosen tokens; top_ids and top_logprobs [width, asked for], the greatest first.
    """

    chosen: mx.array
    top_ids: mx.array
    top_logprobs: mx.array


@dataclass(frozen=True, slots=True)
class Chosen:
    """ids [rows, width] int32, lazy; the scores of each row that asked for them."""

    ids: mx.array
    scores: tuple[RowScores | None, ...]
