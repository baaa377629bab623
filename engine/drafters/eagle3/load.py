"""An EAGLE-3 head from its folder into memory, bound to the target that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx

from engine.drafters.base import NO_LIMIT, DrafterSource, DrafterStep, Known, TargetView
from engine.drafters.eagle3.model import Eagle3
from engine.drafters.opening import open_pair
from engine.drafters.pairs import PairDrafter, kind_of_state
from engine.drafters.vocabulary import LARGE_VOCABULARY, DraftVocabulary, frequent_ids
from engine.drafters.weights import (
    dtype_of,
    fill,
    num_bytes_of,
    read_arrays,
    read_target_ids,
    stream_of_files,
)
from engine.forecast import Kind
from engine.messages import Progress
from engine.models.drafting.eagle3 import KIND, Eagle3Spec, read_spec
from engine.models.drafting.files import DrafterFiles

# By what is told of acceptance: 2.2 to 2.4 tokens a forward for Qwen3.6-27B, and 2.4 on open questions to 5.1 on sums
# for DeepSpec's head of Qwen3-4B, with 7 tokens drafted
CHAIN_KIND = Kind(KIND, (0.65, 0.6, 0.55, 0.5))


class Eagle3Head:
    """A head and what it borrows of its target; speaks the protocol of heads that read pairs."""

    def __init__(self, module: Eagle3, vocabulary: DraftVocabulary, target: TargetView) -> None:
        self.module = module
        self._vocabulary = vocabulary
        self._table = None if module.has_embedding else target.target.embed

    def features(self, context: mx.array) -> mx.array:
        return self.module.features(context)

    def forward(self, token_ids: mx.array, features: mx.array, cache: Sequence[Any]) -> tuple[mx.array, mx.array]:
        """One array is both: the next pair reads what the logits are computed from."""
        output = self.module(self.module.embed(token_ids, self._table), features, cache)
        return output, output

    def logits(self, output: mx.array) -> mx.array:
        return self._vocabulary.spread(self.module.logits(output))


def load_eagle3(source: DrafterSource) -> Iterator[DrafterStep]:
    """Yields Progress, then the drafter; raises ModelError before weights are read where the pair does not fit."""
    files, spec = open_pair(source, read_spec)
    target_ids = read_target_ids(files, spec)
    dtype = dtype_of(source.view.target)
    module = Eagle3(spec)
    yield from fill_module(module, files, spec, dtype)
    if target_ids is None and spec.vocab_size >= LARGE_VOCABULARY:
        target_ids = frequent_ids(spec.vocab_size, source.replies.texts)
        module.keep_tokens(target_ids)
    yield PairDrafter(
        identity=f"{KIND}:{files.folder}",
        weight_bytes=num_bytes_of(module),
        kv_bytes_per_token=spec.kv_elements_per_token * dtype.size,
        needs=spec.needs,
        tap_layers=spec.tap_layers,
        chain=Known(spec.depth, CHAIN_KIND),
        context_length=NO_LIMIT,  # many files name the length of their training data alone
        state_kind=kind_of_state(stream_of_files(files, spec.name, dtype), module),
        head=Eagle3Head(module, DraftVocabulary(target_ids, spec.vocab_size), source.view),
    )


def fill_module(module: Eagle3, files: DrafterFiles, spec: Eagle3Spec, dtype: mx.Dtype) -> Iterator[Progress]:
    """Read the weights, yielding Progress; raises DrafterError."""
    yield from fill(module, read_arrays(files, spec.names), files, spec.names, dtype)
