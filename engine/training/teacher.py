"""The target as a teacher: what its layers leave, and how likely it finds each token that a drafter can propose."""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

from engine.structure import Structure
from engine.taps import Taps
from engine.target import Target


class Teacher:
    """Computes everything anew for each batch: the taps of a corpus take a hundred times the room of its text."""

    def __init__(self, target: Target, tap_layers: Sequence[int], draft_ids: Sequence[int]) -> None:
        """`draft_ids`: the target's id of each token that is drafted, ascending."""
        structure = Structure(target.model, target.facts.model_type)
        self._taps = Taps(structure)
        self._num_layers = len(structure.layers)
        self._layers = (*tap_layers, self._num_layers)
        self._head, _ = structure.head_rows(mx.array(list(draft_ids), dtype=mx.int32))
        self.hidden_size = structure.hidden_size
        self.embed = structure.embed
        self.embed_scale = structure.embed_scale
        self.num_draft_tokens = len(draft_ids)

    def read(self, token_ids: mx.array) -> tuple[mx.array, mx.array]:
        """Of [rows, width] ids: taps side by side [rows, width, taps · hidden], and the hidden state after the final
        norm [rows, width, hidden]; lazy, and nothing is learned through them."""
        _, context = self._taps.run(token_ids, [None] * self._num_layers, self._layers)
        context = mx.stop_gradient(context)
        return context[..., : -self.hidden_size], context[..., -self.hidden_size :]

    def logits(self, hidden: mx.array) -> mx.array:
        """Logits over the drafted tokens, [..., hidden] to [..., drafted tokens]."""
        return mx.stop_gradient(self._head(hidden))
