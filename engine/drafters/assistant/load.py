"""An assistant into memory, once it is known to fit its target."""

from __future__ import annotations

from collections.abc import Iterator

import mlx.core as mx

from engine.drafters.assistant.model import AssistantModel
from engine.drafters.assistant.rows import CHAIN_KIND, AssistantRows
from engine.drafters.base import NO_LIMIT, DrafterSource, DrafterStep, Known, TargetView
from engine.drafters.ngram import MAX_DEPTH
from engine.drafters.opening import open_pair
from engine.drafters.weights import dtype_of, fill, num_bytes_of, read_arrays, stream_of_files
from engine.kv.state import StateKind, StateShape
from engine.models.drafting.assistant import KIND, ORDERING, AssistantSpec, read_spec, tensor_shapes
from engine.prompt_cache.entries import Stream

ONE_HIDDEN_STATE = StateShape(num_grown=(0,), num_fixed=(1,))  # of a row


class AssistantDrafter:
    """Its rows keep one hidden state each; keys and values are those that the target has anyway."""

    kv_bytes_per_token = 0
    max_depth = MAX_DEPTH  # of a copy

    def __init__(self, model: AssistantModel, spec: AssistantSpec, identity: str, stream: Stream) -> None:
        self._model = model
        self._spec = spec
        self.identity = identity
        self.weight_bytes = num_bytes_of(model)
        self.needs = spec.needs
        self.tap_layers = spec.tap_layers
        self.chain = Known(spec.depth, CHAIN_KIND)
        self.context_length = spec.context_length or NO_LIMIT
        self.state_kind: StateKind | None = StateKind(stream, ONE_HIDDEN_STATE)

    def open(self, target: TargetView) -> AssistantRows:
        return AssistantRows(self._model, self._spec, target)


def load_assistant(source: DrafterSource) -> Iterator[DrafterStep]:
    """Yields Progress, then the drafter; DrafterError before any weights are read where the pair does not fit."""
    files, spec = open_pair(source, read_spec)
    dtype = dtype_of(source.view.target)
    names = {name: name for name in tensor_shapes(spec)}
    arrays = read_arrays(files, names)
    if ORDERING in arrays:
        arrays[ORDERING] = arrays[ORDERING].astype(mx.int32)  # published as int64
    model = AssistantModel(spec)
    yield from fill(model, arrays, files, names, dtype)
    yield AssistantDrafter(model, spec, f"{KIND}:{files.folder}", stream_of_files(files, spec.name, dtype))
