"""What corrects and judges a block's tokens behind the layers: DSpark's Markov and confidence heads.

Source: DeepSpec, deepspec/modeling/dspark/markov_head.py and common.py; a reduced vocabulary as in speculators.
"""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

from engine.models.drafting.block_spec import BlockSpec


class MarkovHead(nn.Module):
    """A bias on each position's logits by the token before it, which is a token of the target's vocabulary.

    "vanilla" knows that token alone; "gated" weighs it by the position's hidden state; "rnn" remembers all tokens of
    the block before.
    """

    def __init__(self, spec: BlockSpec) -> None:
        super().__init__()
        rank, hidden = spec.heads.markov_rank, spec.hidden_size
        self.kind, self.rank = spec.heads.markov, rank
        self.markov_w1 = nn.Embedding(spec.vocab_size, rank)
        self.markov_w2 = nn.Linear(rank, spec.output_size, bias=False)
        if self.kind == "gated":
            self.gate_proj = nn.Linear(hidden + rank, rank)
        if self.kind == "rnn":
            self.joint_proj = nn.Linear(2 * rank + hidden, 3 * rank)

    def start(self, num_rows: int, dtype: mx.Dtype) -> mx.array:
        """What is remembered before the block's first position, [rows, rank]."""
        return mx.zeros((num_rows, self.rank), dtype=dtype)

    def __call__(self, previous: mx.array, hidden: mx.array, state: mx.array) -> tuple[mx.array, mx.array]:
        """Bias [rows, output size] after the tokens `previous` [rows] embedded, and what is remembered from here on.

        previous [rows, rank]: as `markov_w1` embeds the token before; hidden [rows, hidden size] of the position.
        """
        if self.kind == "vanilla":
            return self.markov_w2(previous), state
        if self.kind == "gated":
            gate = mx.sigmoid(self.gate_proj(mx.concatenate([hidden, previous], axis=-1)))
            return self.markov_w2(gate * previous), state
        joint = self.joint_proj(mx.concatenate([state, previous, hidden], axis=-1))
        gate, candidate, output = mx.split(joint, 3, axis=-1)
        gate = mx.sigmoid(gate)
        return self.markov_w2(mx.tanh(output)), gate * state + (1 - gate) * mx.tanh(candidate)


class ConfidenceHead(nn.Module):
    """How likely a position's token is accepted, given that all before it are."""

    def __init__(self, spec: BlockSpec) -> None:
        super().__init__()
        self.reads_markov = spec.heads.confidence_reads_markov
        rank = spec.heads.markov_rank if self.reads_markov else 0
        self.proj = nn.Linear(spec.hidden_size + rank, 1)

    def __call__(self, hidden: mx.array, previous: mx.array | None) -> mx.array:
        """Logits [...] of hidden [..., hidden size] and the Markov embedding of the token before each position."""
        if self.reads_markov:
            assert previous is not None
            hidden = mx.concatenate([hidden, previous], axis=-1)
        logits: mx.array = self.proj(hidden)[..., 0].astype(mx.float32)
        return logits
