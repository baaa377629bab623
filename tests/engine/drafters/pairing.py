"""A tiny head of pairs, rows that are driven as a group drives them, and what the head writes without any of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.base import create_attention_mask

from engine.drafters.base import DrafterState, DraftRow, Known
from engine.drafters.pairs import PairHead, PairRows
from engine.forecast import Kind
from engine.messages import Sampling
from engine.sampling import Choice, draw
from tests.engine.tiny import tiny_model

VOCABULARY = 64
CHAIN = Known(4, Kind("pairs", (0.5,)))
HIDDEN = 32
_FEATURES = mx.random.normal((997, 2 * HIDDEN), key=mx.random.key(5))


class TinyHead(nn.Module):
    """One llama layer behind a projection of token and feature; speaks the protocol of heads."""

    def __init__(self) -> None:
        super().__init__()
        body: Any = tiny_model("llama", num_hidden_layers=1)
        self.embedding, self.layers, self.norm, self.head = (
            body.model.embed_tokens,
            body.model.layers,
            body.model.norm,
            body.lm_head,
        )
        self.projection = nn.Linear(2 * HIDDEN, HIDDEN, bias=False)
        self.projection.weight = 0.3 * mx.random.normal((HIDDEN, 2 * HIDDEN), key=mx.random.key(6))

    @property
    def module(self) -> nn.Module:
        return self

    def features(self, context: mx.array) -> mx.array:
        return context[..., :HIDDEN] - context[..., HIDDEN:]

    def forward(self, token_ids: mx.array, features: mx.array, cache: Sequence[Any]) -> tuple[mx.array, mx.array]:
        x = self.projection(mx.concatenate([self.embedding(token_ids), features], axis=-1))
        x = self.layers[0](x, create_attention_mask(x, cache[0]), cache[0])
        return self.norm(x), 0.5 * x

    def logits(self, output: mx.array) -> mx.array:
        return self.head(output)


def context_of(token_ids: Sequence[int], start: int = 0) -> mx.array:
    """What the target is said to have computed at each of some tokens, by token and position; [1, tokens, ·]."""
    places = [(37 * token_id + 11 * position) % 997 for position, token_id in enumerate(token_ids, start=start)]
    return _FEATURES[mx.array(places, dtype=mx.int32)][None]


def write(head: PairHead, text: Sequence[int], choice: Choice, count: int, start: int = 0) -> list[int]:
    """What follows a text of which the last token is pending; the head has read it from token `start` on."""
    caches = [None] * len(head.module.layers)  # without any cache
    ids, features = list(text[start + 1 :]), head.features(context_of(text[start:-1], start))
    written: list[int] = []
    for step in range(count):
        output, following = head.forward(mx.array([[*ids, *written]]), features, caches)
        written += draw(head.logits(output[:, -1:])[:, 0], [choice], step).tolist()
        features = mx.concatenate([features, following[:, -1:]], axis=1)
    return written


@dataclass
class Chat:
    """One row of a batch: its tokens, of which the last is pending, and how the target chooses."""

    history: list[int]
    temperature: float = 0.0
    position: int = 0
    start: int = 0  # token that the head has read it from

    def view(self, chain_depth: int) -> DraftRow:
        choice = Choice(Sampling(temperature=self.temperature, seed=11), self.position)
        return DraftRow(self.history, choice, chain_depth)


@dataclass
class Batch:
    """Rows that are driven as a group drives them, with the acceptance that a test wants."""

    head: PairHead
    context_length: int = 512
    chats: list[Chat] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rows = self.open()

    def open(self) -> PairRows:
        return PairRows(self.head, CHAIN, self.context_length)

    def read(self, prompt: Sequence[int], chunk_length: int = 50, state: DrafterState | None = None) -> DrafterState:
        """All but the last token of a prompt, in a cohort of its own; `state` is what is known of its start."""
        cohort = self.open()
        cohort.prepare_append([state]).commit()
        num_known = state.num_tokens if state else 0
        for start in range(num_known, len(prompt) - 1, chunk_length):
            chunk = prompt[start : min(start + chunk_length, len(prompt) - 1)]
            cohort.prefill([chunk], context_of(chunk, start))
        return cohort.capture(0)

    def join(self, prompt: Sequence[int], temperature: float = 0.0, chunk_length: int = 50) -> None:
        self.rows.prepare_append([self.read(prompt, chunk_length)]).commit()
        self.chats.append(Chat(list(prompt), temperature))

    def leave(self, index: int) -> None:
        del self.chats[index]
        self.rows.filter([row for row in range(len(self.chats) + 1) if row != index])

    def propose(self, depths: Sequence[int]) -> list[list[int]]:
        views = [chat.view(depth) for chat, depth in zip(self.chats, depths, strict=True)]
        proposals = self.rows.propose(views, depths)
        counts: list[int] = proposals.num_proposed.tolist()  # type: ignore[assignment]
        ids: list[list[int]] = proposals.ids.tolist()  # type: ignore[assignment]
        return [row[:count] for row, count in zip(ids, counts, strict=True)]

    def commit(self, proposals: Sequence[Sequence[int]], accepted: Sequence[int], bonus: int = 50) -> None:
        """Verify windows of pending and proposal; the tokens are known by the time that it is committed."""
        starts = [len(chat.history) - 1 for chat in self.chats]
        windows = [[chat.history[-1], *ids] for chat, ids in zip(self.chats, proposals, strict=True)]
        for chat, ids, count in zip(self.chats, proposals, accepted, strict=True):
            chat.history += [*ids[:count], bonus]
            chat.position += count + 1
        self.rows.commit([count + 1 for count in accepted], self._context(windows, starts))

    def run_ahead(self, bonus: int) -> None:
        """A plain round whose tokens are read after it was committed."""
        starts = [len(chat.history) - 1 for chat in self.chats]
        context = self._context([chat.history[-1:] for chat in self.chats], starts)
        self.rows.commit([1] * len(self.chats), context)
        for chat in self.chats:
            chat.history.append(bonus)
            chat.position += 1

    def _context(self, windows: Sequence[Sequence[int]], starts: Sequence[int]) -> mx.array:
        width = max(map(len, windows))
        padded = [[*window, *[63] * (width - len(window))] for window in windows]
        return mx.concatenate([context_of(ids, start) for ids, start in zip(padded, starts, strict=True)])

    def assert_written(self, proposals: Sequence[Sequence[int]]) -> None:
        for chat, ids in zip(self.chats, proposals, strict=True):
            assert ids == write(self.head, chat.history, chat.view(0).choice, len(ids), chat.start)
