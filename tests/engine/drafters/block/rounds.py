"""Goldens of block drafters: the checkpoint as a folder and in memory, and what each round of the reference was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.drafters.block.model import BlockModel
from engine.drafters.block.predict import Head, Predicted, predict
from engine.kv.state import HeldTokens
from engine.models.drafting.block import read_spec
from engine.models.drafting.block_spec import BlockSpec
from engine.models.drafting.files import read_files
from tests.engine.goldens import Golden, read_golden, write_golden

NAMES = (
    "dflash",
    "dflash_sliding",
    "dflash_causal",
    "dflash_yarn",
    "dflash_llama3",
    "deepspec_dflash",
    "dspark_vanilla",
    "dspark_gated",
    "dspark_rnn",
    "dspark_gemma4",
    "dspark_gemma4_values",
    "speculators_dflash",
    "speculators_dspark",
    "speculators_rnn",
)
NUM_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A golden's checkpoint, fp32 in memory."""

    golden: Golden
    spec: BlockSpec
    model: BlockModel
    folder: Path

    def embed(self, ids: mx.array) -> mx.array:
        table = self.model.embed_tokens.weight if self.spec.has_embedding else self.golden.values["embedding"]
        return table[ids].astype(self.model.norm.weight.dtype) * (self.spec.embedding_scale or 1.0)

    def head(self) -> Head:
        head = self.golden.values.get("head")
        return self.model.own_logits if self.spec.has_head else lambda hidden: hidden @ head.T

    def offsets(self) -> mx.array:
        """Of the target's ids over the draft's own."""
        return self.golden.weights.get("d2t", mx.zeros(self.spec.output_size, mx.int64)).astype(mx.int32)

    def chosen(self, index: int) -> list[int]:
        values = self.golden.values
        best = mx.argmax(values[f"{index}.logits"], axis=-1)
        return values.get(f"{index}.tokens", best)[0].tolist()


def open_checkpoint(
    name: str, folder: Path, changes: Callable[[BlockSpec], dict[str, Any]] = lambda spec: {}
) -> Checkpoint:
    """`changes`: what is to differ from what the files say."""
    golden = read_golden(f"block_{name}")
    spec = read_spec(read_files(write_golden(folder, golden)), None)
    spec = replace(spec, **changes(spec))
    model = BlockModel(spec)
    weights = {key: array for key, array in golden.weights.items() if key not in ("d2t", "t2d")}
    model.load_weights([(key, array.astype(mx.float32)) for key, array in weights.items()])
    return Checkpoint(golden, spec, model, folder)


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a reference, and what the model makes of the same."""

    taps: mx.array
    pending: int
    chosen: list[int]  # by the reference, greedily, in the target's ids
    hidden: mx.array  # the reference's
    logits: mx.array
    tokens: mx.array | None
    confidence: mx.array | None
    own_hidden: mx.array
    own_logits: mx.array
    predicted: Predicted


def replay(checkpoint: Checkpoint) -> Iterator[Round]:
    """Feed the model what the reference was fed; the context stays in order, as long as it is."""
    model, values = checkpoint.model, checkpoint.golden.values
    kept: list[HeldTokens | None] = [None] * len(model.layers)
    length = 0
    for index in range(NUM_ROUNDS):
        new = model.project(values[f"{index}.taps"], length)
        length += values[f"{index}.taps"].shape[1]
        kept = [extended(held, *layer, length) for held, layer in zip(kept, new, strict=True)]
        ids = values[f"{index}.ids"]
        hidden = model(checkpoint.embed(ids), kept, [length])
        logits: list[mx.array] = []

        def choose(row_logits: mx.array, _: int, logits: list[mx.array] = logits) -> mx.array:
            logits.append(row_logits)
            best = mx.argmax(row_logits, axis=-1)
            return (best + checkpoint.offsets()[best]).astype(mx.int32)

        predicted = predict(model, hidden, ids[:, 0], checkpoint.head(), choose, checkpoint.spec.depth)
        expected = [values.get(f"{index}.{name}") for name in ("hidden", "logits", "tokens", "confidence")]
        fed = values[f"{index}.taps"], ids[0, 0].item(), checkpoint.chosen(index)
        yield Round(*fed, *expected, hidden, mx.stack(logits, axis=1), predicted)


def extended(held: HeldTokens | None, keys: mx.array, values: mx.array, length: int) -> HeldTokens:
    if held is not None:
        keys = mx.concatenate([held.keys, keys], axis=2)
        values = mx.concatenate([held.values, values], axis=2)
    return HeldTokens(keys, values, mx.arange(length, dtype=mx.int32)[None])
