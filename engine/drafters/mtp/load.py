"""A native MTP head from its folder into memory, bound to the target whose embedding and logits it uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import mlx.core as mx

from engine.drafters.base import NO_LIMIT, DrafterSource, DrafterStep, Known, TargetView
from engine.drafters.mtp.model import MtpModel
from engine.drafters.mtp.weights import fill_head
from engine.drafters.opening import open_pair
from engine.drafters.pairs import PairDrafter, kind_of_state
from engine.drafters.vocabulary import frequent_head
from engine.drafters.weights import dtype_of, num_bytes_of, stream_of_files
from engine.forecast import Kind
from engine.models.drafting.mtp import KIND, read_spec

# 0.74 to 0.90 of the tokens of Qwen3.5's and Qwen3.6's heads were right at depths of 1 and 2 (mlx-vlm, pull request
# 1167); GLM's later ones are rarer
CHAIN_KIND = Kind(KIND, (0.8, 0.7, 0.6, 0.5))


class MtpHead:
    """A head and what it borrows of its target."""

    def __init__(self, module: MtpModel, target: TargetView, replies: Iterable[Sequence[int]] = ()) -> None:
        """`replies`: past ones, whose tokens are drafted first where the vocabulary is too large for all of it."""
        self.module = module
        own = target.target
        self._embed, self._embed_scale = own.embed, own.embed_scale
        self._head = frequent_head(own, target.vocab_size, replies)

    def features(self, context: mx.array) -> mx.array:
        """The target's hidden states as they are; the head's own norm comes with each forward."""
        return context

    def forward(self, token_ids: mx.array, features: mx.array, cache: Sequence[Any]) -> tuple[mx.array, mx.array]:
        """One array is both: the next pair reads what the logits are computed from."""
        output = self.module(self._embed(token_ids) * self._embed_scale, features, cache)
        return output, output

    def logits(self, output: mx.array) -> mx.array:
        return self._head.vocabulary.spread(self._head.logits(output))

    @property
    def num_bytes(self) -> int:
        """Of its weights, and of the target's rows that it has copied."""
        return num_bytes_of(self.module) + self._head.num_bytes


def load_mtp(source: DrafterSource) -> Iterator[DrafterStep]:
    """Yields Progress, then the drafter; raises DrafterError before weights are read where the pair does not fit."""
    files, spec = open_pair(source, read_spec)
    own = replace(files, where={name: files.where[name] for name in spec.names.values()})  # of the model's many files
    dtype = dtype_of(source.view.target)
    module = MtpModel(spec)
    yield from fill_head(module, spec, files, dtype)
    head = MtpHead(module, source.view, source.replies.texts)
    yield PairDrafter(
        identity=f"{KIND}:{files.folder}",
        weight_bytes=head.num_bytes,
        kv_bytes_per_token=spec.kv_elements_per_token * dtype.size,
        needs=spec.needs,
        tap_layers=spec.tap_layers,
        chain=Known(spec.depth, CHAIN_KIND),
        context_length=spec.context_length or NO_LIMIT,
        state_kind=kind_of_state(stream_of_files(own, spec.name, dtype), module),
        head=head,
    )
