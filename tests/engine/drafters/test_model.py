"""A drafting model: its proposals are what it would write itself after each row's own text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import pytest

from engine.drafters.base import DrafterState, DraftRow, TargetView
from engine.drafters.model import CATCH_UP, CHAIN_DEPTH, ModelDrafter
from engine.messages import Sampling
from engine.models.facts import read_facts
from engine.models.fingerprint import Content
from engine.models.load import LoadedModel
from engine.sampling import Choice, draw
from tests.engine.families import FAMILIES
from tests.engine.tiny import tiny_model

VOCABULARY = 64
MODELS = {name: tiny_model(name, **FAMILIES[name]) for name in ("llama", "qwen3_next", "falcon_h1")}
PROMPTS = ([1, 2, 3, 4, 5], [7, 8], [9, 3, 9])


@pytest.fixture(params=sorted(MODELS))
def model(request: pytest.FixtureRequest) -> nn.Module:
    return MODELS[request.param]


def drafter_of(model: nn.Module, target: Path, context_length: int = 512) -> ModelDrafter:
    facts = replace(read_facts("", target), vocab_size=VOCABULARY, context_length=context_length)
    return ModelDrafter(LoadedModel(model, facts, Content("tiny", "float32")))


def write(model: nn.Module, text: Sequence[int], choice: Choice, count: int) -> list[int]:
    """What the model writes by itself, every token from a forward over the whole text."""
    text = list(text)
    for step in range(count):
        text += draw(model(mx.array([text]))[:, -1], [choice], step).tolist()
    return text[len(text) - count :]


@dataclass
class Chat:
    """One row of a batch: its tokens, of which the last is pending, and how the target chooses."""

    history: list[int]
    temperature: float
    position: int = 0

    @property
    def text(self) -> list[int]:
        return self.history[:-1]

    def view(self, chain_depth: int) -> DraftRow:
        choice = Choice(Sampling(temperature=self.temperature, seed=11), self.position)
        return DraftRow(self.history, choice, chain_depth)


class Batch:
    """Rows that are driven as a group drives them, with the acceptance that a test wants."""

    def __init__(self, drafter: ModelDrafter) -> None:
        self._open = lambda: drafter.open(TargetView(VOCABULARY, context_length=512))
        self.rows = self._open()
        self.chats: list[Chat] = []

    def join(self, prompt: Sequence[int], temperature: float = 0.0) -> None:
        """Read all but the last token in a cohort, then join."""
        cohort = self._open()
        cohort.prepare_append([None]).commit()
        cohort.prefill([prompt[:-1]], None)
        self.rows.prepare_append([cohort.capture(0)]).commit()
        self.chats.append(Chat(list(prompt), temperature))

    def leave(self, index: int) -> None:
        del self.chats[index]
        self.rows.filter([row for row in range(len(self.chats) + 1) if row != index])

    def propose(self, depths: Sequence[int]) -> list[list[int]]:
        proposals = self.rows.propose(
            [chat.view(depth) for chat, depth in zip(self.chats, depths, strict=True)], depths
        )
        counts = proposals.num_proposed.tolist()
        return [ids[:count] for ids, count in zip(proposals.ids.tolist(), counts, strict=True)]

    def commit(self, proposals: Sequence[Sequence[int]], accepted: Sequence[int], bonus: int = 50) -> None:
        self.rows.commit([count + 1 for count in accepted], None)
        for chat, ids, count in zip(self.chats, proposals, accepted, strict=True):
            chat.history += [*ids[:count], bonus]
            chat.position += count + 1


def batch_of(model: nn.Module, target: Path, **options: int) -> Batch:
    batch = Batch(drafter_of(model, target, **options))
    for index, prompt in enumerate(PROMPTS):
        batch.join(prompt, temperature=0.8 * (index % 2))
    return batch


def assert_written_by(model: nn.Module, batch: Batch, proposals: Sequence[Sequence[int]]) -> None:
    for chat, ids in zip(batch.chats, proposals, strict=True):
        assert ids == write(model, chat.history, chat.view(0).choice, len(ids))


def test_rows_of_any_acceptance_and_depth_propose_what_the_model_writes(model, target):
    batch, chance = batch_of(model, target), random.Random(3)
    for step in range(14):
        if step in (4, 9):
            batch.join([20 + step] * (step - 3))
        if step in (6, 11):
            batch.leave(1)
        depths = [chance.choice([0, 1, 3, 8]) for _ in batch.chats]
        proposals = batch.propose(depths)
        assert [len(ids) for ids in proposals] == [min(depth, CHAIN_DEPTH) for depth in depths]
        assert_written_by(model, batch, proposals)
        batch.commit(proposals, [chance.randint(0, len(ids)) for ids in proposals], bonus=chance.randrange(VOCABULARY))


def test_full_acceptances_in_a_row_leave_nothing_unread(model, target):
    batch = batch_of(model, target)
    for bonus in range(30, 36):
        proposals = batch.propose([4, 4, 4])
        assert_written_by(model, batch, proposals)
        batch.commit(proposals, [4, 4, 4], bonus)


def test_row_that_did_not_draft_for_long_catches_up(model, target):
    batch = batch_of(model, target)
    for bonus in range(12):
        batch.commit(batch.propose([0, 0, 2 * (bonus % 2)]), [0, 0, 0], bonus)
    assert_written_by(model, batch, batch.propose([3, 0, 3]))


def test_nobody_drafts_while_a_row_that_was_restored_without_the_model_catches_up(model, target):
    batch, chance = batch_of(model, target, context_length=4096), random.Random(4)
    long_text = [chance.randrange(VOCABULARY) for _ in range(5 * CATCH_UP // 2)]
    batch.rows.prepare_append([DrafterState(len(long_text), tuple(long_text), None)]).commit()
    batch.chats.append(Chat([*long_text, 5], 0.0))
    for bonus in (30, 31):
        assert batch.propose([3, 3, 3, 3]) == [[]] * 4
        batch.commit([[]] * 4, [0] * 4, bonus)
    proposals = batch.propose([3, 3, 3, 3])
    assert [len(ids) for ids in proposals] == [3] * 4
    assert_written_by(model, batch, proposals)


def test_restored_row_proposes_what_the_uninterrupted_one_does(model, target):
    batch, restored = batch_of(model, target), Batch(drafter_of(model, target))
    proposals = batch.propose([4, 4, 4])
    batch.commit(proposals, [4, 2, 0])
    states = [batch.rows.capture(row) for row in range(3)]
    assert [state.num_tokens for state in states] == [len(chat.text) for chat in batch.chats]
    restored.rows.prepare_append(states).commit()
    restored.chats = batch.chats
    assert restored.propose([4, 4, 4]) == batch.propose([4, 4, 4])


def test_prepared_row_that_does_not_join_changes_nothing(model, target):
    batch = batch_of(model, target)
    batch.rows.prepare_append([batch.rows.capture(0)])
    assert_written_by(model, batch, batch.propose([4, 4, 4]))


def test_cold_row_of_one_token_proposes(model, target):
    batch = Batch(drafter_of(model, target))
    batch.join([5])
    assert_written_by(model, batch, batch.propose([4]))


def test_no_row_is_followed_past_the_context_of_the_model(model, target):
    batch = batch_of(model, target, context_length=8)
    lengths = []
    for bonus in range(4):
        proposals = batch.propose([4, 4, 4])
        assert_written_by(model, batch, proposals)
        lengths.append([len(ids) for ids in proposals])
        batch.commit(proposals, [len(ids) for ids in proposals], bonus)
    assert lengths == [[3, 4, 4], [0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_copy_under_way_goes_before_the_model(model, target):
    block = list(range(20, 36))
    batch = batch_of(model, target)
    batch.join(block + block[:9])
    proposals = batch.propose([4, 4, 4, 8])
    assert proposals[3] == block[9:16] + block[:1]
    assert_written_by(model, batch, [*proposals[:3], []])
    batch.commit(proposals, [4, 1, 0, 8], bonus=3)
    assert_written_by(model, batch, batch.propose([4, 4, 4, 4]))
