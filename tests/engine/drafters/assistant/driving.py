"""Rows of a tiny Gemma 4 that are driven as a group drives them, and what an assistant drafts by its definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import mlx.core as mx
from mlx_lm.models.cache import KVCache
from mlx_lm.utils import _get_classes

from engine.drafters.assistant.model import AssistantModel, Borrowed, visible
from engine.drafters.assistant.rows import AssistantRows
from engine.drafters.base import DraftRow
from engine.kv.rows import Rows
from engine.messages import Sampling
from engine.models.drafting.assistant import AssistantSpec
from engine.models.facts import read_facts
from engine.sampling import Choice, draw
from engine.target import Target
from tests.engine.drafters.assistant.goldens import arrays_of, config_of, load_module, write_drafter
from tests.engine.drafters.tiny_assistant import tiny_assistant
from tests.engine.tiny import tiny_config, tiny_model, write_json

VOCABULARY = 64


@dataclass(frozen=True)
class Pair:
    """A target and an assistant for it."""

    target: Target
    assistant: AssistantModel
    spec: AssistantSpec

    def open(self, state: Rows) -> AssistantRows:
        return AssistantRows(self.assistant, self.spec, self.target.view_of(state))


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


@dataclass
class Chat:
    """One row of a batch: its tokens, of which the last is pending, and how the target chooses."""

    history: list[int]
    temperature: float = 0.0
    is_drafted: bool = True  # or another drafter's
    position: int = 0

    @property
    def choice(self) -> Choice:
        return Choice(Sampling(temperature=self.temperature, seed=11), self.position)


class Batch:
    """Rows with the acceptance that a test wants; what is not accepted is followed by a token of its choice."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.state = pair.target.open_rows()
        self.rows = pair.open(self.state)
        self.chats: list[Chat] = []

    @property
    def own(self) -> list[Chat]:
        return [chat for chat in self.chats if chat.is_drafted]

    def join(self, chat: Chat, chunk: int = 100) -> None:
        """Read all but the last token in a cohort, then join."""
        state = self.pair.target.open_rows()
        cohort = self.pair.open(state)
        for rows in (state, cohort):
            rows.prepare_append([None]).commit()
        text = chat.history[:-1]
        for start in range(0, len(text), chunk):
            chunks = [text[start : start + chunk]]
            cohort.prefill(chunks, self.pair.target.prefill(state, chunks, self.pair.spec.tap_layers or (4,)))
        self.state.prepare_append([state.extract(0) if text else None]).commit()
        self.chats.append(chat)
        if chat.is_drafted:
            self.rows.prepare_append([cohort.capture(0) if text else None]).commit()

    def leave(self, index: int) -> None:
        keep = [row for row in range(len(self.chats)) if row != index]
        own = [row for row, chat in enumerate(self.chats) if chat.is_drafted]
        self.rows.filter([own.index(row) for row in keep if row in own])
        self.state.filter(keep)
        del self.chats[index]

    def propose(self, depths: Sequence[int]) -> list[list[int]]:
        """One depth for each row; no token for rows that are another drafter's."""
        asked = [(index, depth) for index, depth in enumerate(depths) if self.chats[index].is_drafted]
        views = [DraftRow(self.chats[row].history, self.chats[row].choice, depth, row) for row, depth in asked]
        proposals = self.rows.propose(views, [depth for _, depth in asked])
        found = iter(zip(proposals.ids.tolist(), proposals.num_proposed.tolist(), strict=True))
        pairs = [next(found) if chat.is_drafted else ([], 0) for chat in self.chats]
        return [ids[:count] for ids, count in pairs]

    def commit(self, proposals: Sequence[Sequence[int]], accepted: Sequence[int], bonus: int = 50) -> None:
        """Verify, and keep the pending token and so many of the proposed ones; below 0 a row keeps nothing."""
        width = 1 + max(map(len, proposals))
        windows = [
            [chat.history[-1], *ids, *[9] * width][:width] for chat, ids in zip(self.chats, proposals, strict=True)
        ]
        context = self.pair.target.verify(self.state, mx.array(windows), (4,)).context
        assert context is not None
        kept = [count + 1 for count in accepted]
        self.state.commit(kept)
        own = [row for row, chat in enumerate(self.chats) if chat.is_drafted]
        self.rows.commit([kept[row] for row in own], context[mx.array(own)])
        for chat, ids, count in zip(self.chats, proposals, accepted, strict=True):
            chat.history += [*ids[:count], bonus] if count >= 0 else []
            chat.position += count + 1

    def assert_drafted_alone(self, proposals: Sequence[Sequence[int]]) -> None:
        for chat, ids in zip(self.chats, proposals, strict=True):
            assert ids == draft_alone(self.pair, chat.history, chat.choice, len(ids)), chat
