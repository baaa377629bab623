"""Rows of heads that read pairs: each token with what the target computed of the token before it.

Position i of a head reads (token i + 1, feature of token i) and foretells token i + 2; native MTP layers and EAGLE-3
are such heads. What the head computes at a position stands in for the target's feature there, so that it can write on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import mlx.core as mx
import mlx.nn as nn


class PairHead(Protocol):
    """A head that is bound to its target; its functions depend on their arguments and its weights alone."""

    module: nn.Module  # whose `layers` (or `make_cache`) tell what state a row has

    def features(self, context: mx.array) -> mx.array:
        """What the head reads of the target's context: [rows, width, context size] to [rows, width, feature size]."""

    def forward(self, token_ids: mx.array, features: mx.array, cache: Sequence[Any]) -> tuple[mx.array, mx.array]:
        """Read pairs behind those in `cache`: token_ids [rows, width], features [rows, width, feature size].

        Returns what `logits` takes, [rows, width, ·], and each position's feature for the pair after it, [rows, width,
        feature size]. Positions are the cache's own: rotary attention does not mind where they start.
        """

    def logits(self, output: mx.array) -> mx.array:
        """[rows, width, ·] to logits over the target's vocabulary, -inf for tokens that the head never proposes."""
