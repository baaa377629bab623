"""An EAGLE-3 head from its folder into memory, bound to the target that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx

from engine.drafters.base import TargetPorts, to_lists
from engine.drafters.eagle3.model import Eagle3
from engine.drafters.vocabulary import DraftVocabulary
from engine.drafters.weights import fill, read_arrays
from engine.messages import Progress
from engine.models.drafting.eagle3 import OFFSETS, Eagle3Spec
from engine.models.drafting.files import DrafterFiles
from engine.models.errors import DrafterError


class Eagle3Head:
    """A head and what it borrows of its target; speaks the protocol of heads that read pairs."""

    def __init__(self, module: Eagle3, vocabulary: DraftVocabulary, target: TargetPorts) -> None:
        self.module = module
        self._vocabulary = vocabulary
        self._embed = module.embed if "embed_tokens" in module else target.embed

    def features(self, context: mx.array) -> mx.array:
        return self.module.features(context)

    def forward(self, token_ids: mx.array, features: mx.array, cache: Sequence[Any]) -> tuple[mx.array, mx.array]:
        """What a chained step reads is also what the logits are computed from."""
        output = self.module(self._embed(token_ids), features, cache)
        return output, output

    def logits(self, output: mx.array) -> mx.array:
        return self._vocabulary.spread(self.module.logits(output))


def read_module(files: DrafterFiles, spec: Eagle3Spec, dtype: mx.Dtype) -> Iterator[Progress | Eagle3]:
    """Yields Progress, then the module with its weights; raises DrafterError."""
    module = Eagle3(spec)
    yield from fill(module, read_arrays(files, spec.names), files, spec.names, dtype)
    yield module


def read_vocabulary(files: DrafterFiles, spec: Eagle3Spec) -> DraftVocabulary:
    """The target's ids of the tokens that a head proposes; DrafterError where the target does not have these."""
    if not spec.draft_vocab_size:
        return DraftVocabulary(None, spec.vocab_size)
    offsets = to_lists(read_arrays(files, {OFFSETS: OFFSETS})[OFFSETS])
    ids = [place + offset for place, offset in enumerate(offsets)]
    wrong = [token_id for token_id in ids if type(token_id) is not int or not 0 <= token_id < spec.vocab_size]
    if wrong:
        raise DrafterError(
            f"the drafter in {str(files.folder)!r} is damaged: its tensor {OFFSETS!r} names token {wrong[0]} of a "
            f"target that has {spec.vocab_size:,}; download it again"
        )
    return DraftVocabulary(ids, spec.vocab_size)
