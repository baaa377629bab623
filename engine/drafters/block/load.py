"""A block drafter from its files into memory, beside the target whose layers it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import mlx.core as mx

from engine.drafters.base import NO_LIMIT, DrafterSource, DrafterStep, TargetView
from engine.drafters.block.model import BlockModel
from engine.drafters.block.rows import MAX_ROWS, BlockParts, BlockRows, block_chain
from engine.drafters.ngram import MAX_DEPTH
from engine.drafters.opening import open_pair
from engine.drafters.vocabulary import DraftHead, DraftVocabulary, frequent_head
from engine.drafters.weights import (
    dtype_of,
    fill,
    num_bytes_of,
    read_arrays,
    read_target_ids,
    stream_of_files,
)
from engine.kv.rows import open_rows
from engine.kv.state import StateKind
from engine.models.drafting.block import published_names, read_spec
from engine.models.drafting.block_spec import expected_tensors
from engine.models.drafting.spec import OFFSETS
from engine.prompt_cache.entries import Stream


class BlockDrafter:
    max_depth = MAX_DEPTH  # of a copy
    context_length = NO_LIMIT  # no layer looks further back than a window

    def __init__(self, name: str, parts: BlockParts, stream: Stream, dtype: mx.Dtype) -> None:
        spec = parts.model.spec
        self.identity = f"{spec.kind}:{name}"
        self.weight_bytes = num_bytes_of(parts.model) + parts.head.num_bytes
        self.kv_bytes_per_token = spec.kv_elements_per_token * dtype.size
        self.needs = spec.needs
        self.tap_layers = spec.tap_layers
        self.chain = parts.chain
        shape = open_rows(parts.model, MAX_ROWS).shape
        assert shape is not None
        self.state_kind: StateKind | None = StateKind(stream, shape)
        self._parts = parts

    def open(self, target: TargetView) -> BlockRows:
        return BlockRows(self._parts)


def load_block(source: DrafterSource) -> Iterator[DrafterStep]:
    """DFlash and DSpark checkpoints in every packaging that is known."""
    files, spec = open_pair(source, read_spec)
    target_ids = read_target_ids(files, spec)
    model, dtype = BlockModel(spec), dtype_of(source.view.target)
    names = published_names(files, (name for name in expected_tensors(spec) if name != OFFSETS))
    yield from fill(model, read_arrays(files, names), files, names, dtype)
    head = _choose_head(model, target_ids, source)
    chain = block_chain(spec.kind, min(spec.depth, MAX_DEPTH))
    parts = BlockParts(model, _choose_embedding(model, source.view, dtype), head, chain)
    yield BlockDrafter(str(files.folder), parts, stream_of_files(files, spec.name, dtype), dtype)


def _choose_embedding(model: BlockModel, target: TargetView, dtype: mx.Dtype) -> Callable[[mx.array], mx.array]:
    """The checkpoint's own table, or the target's; the scale is the drafter's where it names one."""
    spec = model.spec
    table = model.embed_tokens if spec.has_embedding else target.target.embed
    scale = target.target.embed_scale if spec.embedding_scale is None else spec.embedding_scale
    return lambda ids: table(ids).astype(dtype) * scale


def _choose_head(model: BlockModel, target_ids: list[int] | None, source: DrafterSource) -> DraftHead:
    """The checkpoint's own head, or the target's with its scales and caps, of frequent tokens where that is all."""
    spec, vocab_size = model.spec, source.view.vocab_size
    if spec.has_head:
        return DraftHead(model.own_logits, DraftVocabulary(target_ids, vocab_size))
    own = source.view.target
    if spec.heads.markov:  # whose biases are of all tokens
        return DraftHead(own.head, DraftVocabulary(None, vocab_size))
    return frequent_head(own, vocab_size, source.replies.texts)
