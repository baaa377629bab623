"""Tiny Gemma 4 targets with assistants, and what these draft by their definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import mlx.core as mx
from mlx_lm.models.cache import KVCache
from mlx_lm.utils import _get_classes

from engine.drafters.assistant.load import AssistantDrafter
from engine.drafters.assistant.model import AssistantModel, Borrowed, visible
from engine.models.drafting.assistant import AssistantSpec
from engine.models.facts import read_facts
from engine.prompt_cache.entries import Stream
from engine.sampling import Choice, draw
from engine.target import Target
from tests.engine.drafters.assistant.goldens import arrays_of, config_of, load_module, write_drafter
from tests.engine.drafters.driving import Batch
from tests.engine.drafters.tiny_assistant import tiny_assistant
from tests.engine.tiny import tiny_config, tiny_model, write_json

VOCABULARY = 64


@dataclass(frozen=True)
class Pair:
    """A target and an assistant for it."""

    target: Target
    assistant: AssistantModel
    spec: AssistantSpec

    def batch(self) -> Batch:
        spec = replace(self.spec, tap_layers=(self.target.facts.num_layers,))
        return Batch(self.target, AssistantDrafter(self.assistant, spec, "assistant:tiny", Stream("tiny", ())))


def tiny_pair(folder: Path, facts_of: Path, model_type: str = "gemma4_text", **options: int) -> Pair:
    """`facts_of`: a tiny model's folder, whose tokenizer the facts are taken from; `options` are the assistant's."""
    (folder / "target").mkdir(parents=True)
    write_json(folder / "target" / "config.json", tiny_config(model_type, VOCABULARY))
    facts = replace(read_facts("", facts_of), vocab_size=VOCABULARY, model_type=model_type, num_layers=4)
    assistant, spec = load_module(tiny_assistant(folder / "assistant", folder / "target", **options))
    return Pair(Target(tiny_model(model_type, vocab_size=VOCABULARY), facts), assistant, spec)


def golden_pair(folder: Path, facts_of: Path, head: str, place: str) -> Pair:
    """The pair that the references were run with; transformers writes the target's head sizes where mlx-lm has none."""
    sizes = {"global_head_dim": 16, "num_global_key_value_heads": 1}
    model_class, arguments = _get_classes({"model_type": "gemma4_text"})
    model = model_class(arguments.from_dict(config_of(f"target.{place}") | sizes))
    model.load_weights(list(model.sanitize(arrays_of("target.")).items()))
    facts = replace(read_facts("", facts_of), vocab_size=48, model_type="gemma4_text", num_layers=4)
    return Pair(Target(model, facts), *load_module(write_drafter(folder, head, place)))


def draft_alone(
    pair: Pair, history: Sequence[int], choice: Choice, count: int, *, hidden_error: int = 0, position_error: int = 0
) -> list[int]:
    """What the assistant drafts for one text, from a forward of the target over all of it but the pending token.

    The errors move what it reads and where it stands, to show what that changes.
    """
    if not count:
        return []
    inner = getattr(pair.target.model, "language_model", pair.target.model).model
    num_tokens = len(history) - 1
    caches = [KVCache() for _ in range(pair.target.facts.num_layers)]
    hidden = inner(mx.array([history[:-1]]), caches)[:, num_tokens - 1 + hidden_error :][:, :1]
    own = {layer.layer_type: index for index, layer in enumerate(inner.layers) if inner.previous_kvs[index] == index}
    windows = {"sliding_attention": inner.window_size, "full_attention": None}
    positions, length = mx.arange(num_tokens)[None], mx.array([num_tokens])
    borrowed = Borrowed(
        {kind: _first(caches[index], num_tokens) for kind, index in own.items()},
        {kind: visible(positions, length, windows[kind]) for kind in own},
        num_tokens - 1 + position_error,
    )
    drafted = [history[-1]]
    for step in range(count):
        embedded = inner.embed_tokens(mx.array([drafted[-1:]])) * inner.embed_scale
        logits, hidden = pair.assistant(embedded, hidden, borrowed)
        drafted += draw(logits, [choice], step).tolist()
    return drafted[1:]


def _first(cache: KVCache, num_tokens: int) -> tuple[mx.array, mx.array]:
    return cache.keys[:, :, :num_tokens], cache.values[:, :, :num_tokens]


def assert_drafted_alone(pair: Pair, batch: Batch, proposals: Sequence[Sequence[int]]) -> None:
    for chat, ids in zip(batch.chats, proposals, strict=True):
        assert ids == draft_alone(pair, chat.history, chat.choice, len(ids)), chat
