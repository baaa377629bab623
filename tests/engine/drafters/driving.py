"""Rows of a target and of a drafter that reads it, driven as a group drives them, with the acceptance of a test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import mlx.core as mx

from engine.drafters.base import DrafterSource, DraftRow, TargetView
from engine.drafters.name import split_name
from engine.drafters.suffix_store import SuffixStore
from engine.drafters.table import load_drafter
from engine.loading import load_target
from engine.messages import Sampling
from engine.sampling import Choice
from engine.target import Target

T = TypeVar("T")


def last(steps: Iterator[T]) -> Any:
    """What a load ends with."""
    *_, step = steps
    return step


def load_pair(target_folder: Path, name: str, data_dir: Path) -> tuple[Target, Any]:
    """A target and a drafter for it, as the engine loads them."""
    target: Target = last(load_target(str(target_folder), data_dir))
    source = DrafterSource(split_name(name)[1], target.facts, SuffixStore(), data_dir, target.view)
    return target, last(load_drafter(name, source))


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
    """Rows of one target; what is not accepted of a proposal is followed by a token that the test chooses."""

    def __init__(self, target: Target, drafter: Any) -> None:
        self.target = target
        self.drafter = drafter
        self.state = target.open_rows()
        self.rows = drafter.open(self._view_of(self.state))
        self.chats: list[Chat] = []

    def join(self, chat: Chat, chunk: int = 100) -> None:
        """Read all but the last token in a cohort, then join."""
        state = self.target.open_rows()
        cohort = self.drafter.open(self._view_of(state))
        for rows in (state, cohort):
            rows.prepare_append([None]).commit()
        text = chat.history[:-1]
        for start in range(0, len(text), chunk):
            chunks = [text[start : start + chunk]]
            cohort.prefill(chunks, self.target.prefill(state, chunks, self.drafter.tap_layers))
        self.state.prepare_append([state.extract(0) if text else None]).commit()
        self.chats.append(chat)
        if chat.is_drafted:
            self.rows.prepare_append([cohort.capture(0) if text else None]).commit()

    def leave(self, index: int) -> None:
        keep = [row for row in range(len(self.chats)) if row != index]
        own = self._own()
        self.rows.filter([own.index(row) for row in keep if row in own])
        self.state.filter(keep)
        del self.chats[index]

    def propose(self, depths: Sequence[int]) -> list[list[int]]:
        """Up to so many tokens for each row; none for rows that are another drafter's."""
        own = self._own()
        views = [DraftRow(self.chats[row].history, self.chats[row].choice, depths[row], row) for row in own]
        proposals = self.rows.propose(views, [depths[row] for row in own])
        counts = proposals.num_proposed.tolist()
        found = {row: ids[:count] for row, ids, count in zip(own, proposals.ids.tolist(), counts, strict=True)}
        return [found.get(row, []) for row in range(len(self.chats))]

    def commit(self, proposals: Sequence[Sequence[int]], accepted: Sequence[int], bonus: int = 50) -> None:
        """Verify, and keep the pending token and so many of the proposed ones; at -1 a row keeps nothing."""
        width = 1 + max(map(len, proposals))
        pairs = zip(self.chats, proposals, strict=True)
        windows = [[chat.history[-1], *ids, *[9] * width][:width] for chat, ids in pairs]
        context = self.target.verify(self.state, mx.array(windows), self.drafter.tap_layers).context
        assert context is not None
        kept, own = [count + 1 for count in accepted], self._own()
        self.state.commit(kept)
        self.rows.commit([kept[row] for row in own], context[mx.array(own)])
        for chat, ids, count in zip(self.chats, proposals, accepted, strict=True):
            chat.history += [*ids[:count], bonus] if count >= 0 else []
            chat.position += count + 1

    def _own(self) -> list[int]:
        return [row for row, chat in enumerate(self.chats) if chat.is_drafted]

    def _view_of(self, state: Any) -> TargetView:
        return self.target.view_of(state)
