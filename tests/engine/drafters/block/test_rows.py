"""Rows of a block drafter: each proposes what one block over its whole context gives, whatever its neighbours do."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import mlx.core as mx
import pytest

from engine.drafters.base import DrafterState, DraftRow
from engine.drafters.block.model import CONTEXT_WINDOW
from engine.drafters.block.predict import predict
from engine.drafters.block.rows import MOST_WAITING, BlockParts, BlockRows, block_chain, count_confident
from engine.drafters.vocabulary import DraftHead, DraftVocabulary
from engine.kv.state import HeldTokens
from engine.messages import Sampling
from engine.sampling import Choice, draw
from tests.engine.drafters.block.rounds import NAMES, Checkpoint, open_checkpoint, replay

VOCABULARY = 24
KINDS = ("dflash_sliding", "deepspec_dflash", "dspark_rnn", "dspark_gemma4", "speculators_dspark")
PROMPTS = ([1, 2, 3, 4, 5, 6, 7], [7, 8], [9, 3, 9, 1])


def parts_of(checkpoint: Checkpoint) -> BlockParts:
    spec = checkpoint.spec
    ids = (mx.arange(spec.output_size) + checkpoint.offsets()).tolist() if spec.draft_vocab_size else None
    head = DraftHead(checkpoint.head(), DraftVocabulary(ids, VOCABULARY))
    return BlockParts(checkpoint.model, checkpoint.embed, head, block_chain(spec.kind, spec.depth))


@pytest.fixture(params=KINDS)
def parts(request: pytest.FixtureRequest, tmp_path: Path) -> BlockParts:
    return parts_of(open_checkpoint(request.param, tmp_path))


@pytest.fixture
def sliding(tmp_path: Path) -> BlockParts:
    return parts_of(open_checkpoint("dflash_sliding", tmp_path))


@dataclass
class Chat:
    """One row: its tokens, of which the last is pending, and the taps of those before it that were handed out."""

    history: list[int]
    taps: mx.array
    temperature: float = 0.0
    position: int = 0

    def view(self, depth: int) -> DraftRow:
        return DraftRow(self.history, Choice(Sampling(temperature=self.temperature, seed=11), self.position), depth)


class Batch:
    """Rows that are driven as a group drives them, with the acceptance that a test wants."""

    def __init__(self, parts: BlockParts, seed: int = 0) -> None:
        self.parts = parts
        self.rows = BlockRows(parts)
        self.chats: list[Chat] = []
        self._keys = iter(mx.random.split(mx.random.key(seed), 4096))

    def taps(self, rows: int, width: int) -> mx.array:
        spec = self.parts.model.spec
        return mx.random.normal((rows, width, len(spec.tap_layers) * spec.hidden_size), key=next(self._keys))

    def join(self, prompt: Sequence[int], temperature: float = 0.0, chunk: int = 3) -> None:
        """Read all but the last token in a cohort, chunk by chunk, then join."""
        cohort, taps = BlockRows(self.parts), self.taps(1, len(prompt) - 1)
        cohort.prepare_append([None]).commit()
        for start in range(0, len(prompt) - 1, chunk):
            ids = prompt[start : min(start + chunk, len(prompt) - 1)]
            cohort.prefill([ids], taps[:, start : start + len(ids)])
        self.rows.prepare_append([cohort.capture(0)]).commit()
        self.chats.append(Chat(list(prompt), taps, temperature))

    def leave(self, index: int) -> None:
        del self.chats[index]
        self.rows.filter([row for row in range(len(self.chats) + 1) if row != index])

    def propose(self, depths: Sequence[int]) -> list[list[int]]:
        views = [chat.view(depth) for chat, depth in zip(self.chats, depths, strict=True)]
        proposals = self.rows.propose(views, depths)
        counts = proposals.num_proposed.tolist()
        assert counts == [known.length for known in proposals.known]
        assert {known.num_forwards(known.num_drafted) for known in proposals.known} <= {0, 1}  # a block is one forward
        assert proposals.ids.shape == (len(counts), max(counts))
        return [ids[:count] for ids, count in zip(proposals.ids.tolist(), counts, strict=True)]

    def commit(self, proposals: Sequence[Sequence[int]], accepted: Sequence[int], bonus: int = 21) -> None:
        window = self.taps(len(self.chats), 1 + max(map(len, proposals)))
        self.rows.commit([count + 1 for count in accepted], window)
        for index, (chat, ids, count) in enumerate(zip(self.chats, proposals, accepted, strict=True)):
            chat.history += [*ids[:count], bonus]
            chat.position += count + 1
            chat.taps = mx.concatenate([chat.taps, window[index : index + 1, : count + 1]], axis=1)


def batch_of(parts: BlockParts) -> Batch:
    batch = Batch(parts)
    for index, prompt in enumerate(PROMPTS):
        batch.join(prompt, temperature=0.8 * (index % 2))
    return batch


def expected(parts: BlockParts, chat: Chat, depth: int) -> list[int]:
    """A block over the chat's whole context at once, cut to what is asked for and to what is confident."""
    spec, length = parts.model.spec, chat.taps.shape[1]
    held: list[HeldTokens | None] = [None] * len(parts.model.layers)
    if length:
        positions = mx.arange(length, dtype=mx.int32)[None]
        held = [HeldTokens(keys, values, positions) for keys, values in parts.model.project(chat.taps, 0)]
    ids = mx.array([[chat.history[-1], *[spec.mask_token_id] * (spec.block_size - 1)]])
    hidden = parts.model(parts.embed(ids), held, [length])
    choose: Callable[[mx.array, int], mx.array] = lambda logits, index: draw(  # noqa: E731
        parts.head.vocabulary.spread(logits), [chat.view(0).choice], index
    )
    predicted = predict(parts.model, hidden, ids[:, 0], parts.head.logits, choose, spec.depth)
    count = spec.depth if predicted.confidence is None else count_confident(predicted.confidence).item()
    return predicted.ids[0].tolist()[: min(depth, count)]


def assert_expected(batch: Batch, proposals: Sequence[Sequence[int]], depths: Sequence[int]) -> None:
    for chat, ids, depth in zip(batch.chats[: len(depths)], proposals, depths, strict=True):
        assert ids == expected(batch.parts, chat, depth)


def test_rows_of_any_acceptance_and_depth_that_come_and_go_propose_as_if_alone(parts):
    batch, chance = batch_of(parts), random.Random(3)
    for step in range(14):
        if step in (4, 9):
            batch.join([1 + step, *range(step)])
        if step in (6, 11, 12):
            batch.leave(1)
        depths = [chance.choice([0, 1, 3, 8]) for _ in batch.chats]
        proposals = batch.propose(depths)
        assert_expected(batch, proposals, depths)
        bonus = chance.randrange(VOCABULARY)
        batch.commit(proposals, [chance.randint(0, len(ids)) for ids in proposals], bonus)


@pytest.mark.parametrize("name", NAMES)
def test_rows_propose_what_the_reference_chose_in_every_round(tmp_path, name):
    checkpoint = open_checkpoint(name, tmp_path)
    rows, history = BlockRows(parts_of(checkpoint)), [0]
    rows.prepare_append([None]).commit()
    for step in replay(checkpoint):
        num_new = step.taps.shape[1]
        rows.prefill([[0] * num_new], step.taps)
        history = [*range(num_new + len(history) - 1), step.pending]
        proposals = rows.propose([Chat(history, step.taps).view(8)], [8])
        count = proposals.num_proposed.item()
        assert proposals.ids[0].tolist() == step.chosen[:count]
        assert count == checkpoint.spec.depth or step.confidence is not None


def test_rounds_without_drafting_lose_no_context(parts):
    batch, chance = batch_of(parts), random.Random(4)
    for _ in range(MOST_WAITING + 9):
        batch.commit([[]] * 3, [0] * 3, bonus=chance.randrange(VOCABULARY))
    depths = [4, 4, 4]
    assert_expected(batch, batch.propose(depths), depths)


def test_restored_row_proposes_what_the_uninterrupted_one_does(parts):
    batch, restored = batch_of(parts), Batch(parts)
    proposals = batch.propose([4, 4, 4])
    batch.commit(proposals, [len(proposals[0]), len(proposals[1]) // 2, 0])
    states = [batch.rows.capture(row) for row in range(3)]
    assert [state.num_tokens for state in states] == [len(chat.history) - 1 for chat in batch.chats]
    restored.rows.prepare_append(states).commit()
    restored.chats = batch.chats
    assert restored.propose([4, 4, 4]) == batch.propose([4, 4, 4])


def test_row_that_the_target_restored_alone_starts_from_there_and_is_not_kept(parts):
    batch = batch_of(parts)
    short = replace(batch.rows.capture(0), num_tokens=30)
    batch.rows.prepare_append([DrafterState(40), short]).commit()
    chance = random.Random(6)
    texts = [[chance.randrange(VOCABULARY) for _ in range(length)] for length in (41, 31)]
    batch.chats += [Chat(text, batch.taps(1, 0)) for text in texts]
    for bonus in (7, 9, 11):
        depths = [0, 2, 0, 4, 3]
        proposals = batch.propose(depths)
        assert_expected(batch, proposals, depths)
        batch.commit(proposals, [0, len(proposals[1]), 0, len(proposals[3]), 0], bonus)
    assert [batch.rows.capture(row).covered for row in (3, 4)] == [None, None]


def test_row_that_began_late_keeps_its_context_where_it_moves(parts):
    cohort, batch = BlockRows(parts), batch_of(parts)
    cohort.prepare_append([DrafterState(20)]).commit()
    taps = batch.taps(1, 9)
    cohort.prefill([[1] * 9], taps)
    batch.rows.prepare_append([cohort.capture(0)]).commit()
    batch.chats.append(Chat([*range(20), *range(10, 0, -1)], taps))
    assert_expected(batch, batch.propose([4] * 4), [4] * 4)


def test_prepared_row_that_does_not_join_changes_nothing(parts):
    batch = batch_of(parts)
    batch.rows.prepare_append([batch.rows.capture(0)])
    assert_expected(batch, batch.propose([4, 4, 4]), [4, 4, 4])


def test_cold_row_of_one_token_proposes(parts):
    batch = Batch(parts)
    batch.join([5])
    assert_expected(batch, batch.propose([4]), [4])


def test_copy_under_way_goes_before_the_drafter(sliding):
    block = list(range(2, 18))
    batch = batch_of(sliding)
    batch.join(block + block[:9])
    proposals = batch.propose([4, 0, 4, 8])
    assert proposals[3] == block[9:16] + block[:1]
    assert_expected(batch, proposals[:3], [4, 0, 4])
    batch.commit(proposals, [4, 0, 0, 8], bonus=3)
    assert_expected(batch, batch.propose([4, 4, 4, 0]), [4, 4, 4, 0])


def test_a_smaller_depth_asks_for_less_of_the_same_block(sliding):
    batch = batch_of(sliding)
    whole = batch.propose([5, 5, 5])
    assert batch.propose([2, 1, 3]) == [whole[0][:2], whole[1][:1], whole[2][:3]]


def test_a_long_context_is_seen_through_its_latest_tokens(sliding):
    batch, chance = Batch(sliding), random.Random(5)
    batch.join([chance.randrange(VOCABULARY) for _ in range(CONTEXT_WINDOW + 150)], chunk=2048)
    batch.join([chance.randrange(VOCABULARY) for _ in range(CONTEXT_WINDOW + 90)], chunk=2048)
    assert_expected(batch, batch.propose([5, 5]), [5, 5])


def with_confidence(parts: BlockParts, bias: float) -> BlockParts:
    parts.model.confidence_head.proj.bias = mx.array([bias])
    return parts


@pytest.mark.parametrize(("bias", "count"), [(-30.0, 0), (30.0, 6)])
def test_a_proposal_ends_before_the_first_token_that_is_doubted(tmp_path, bias, count):
    batch = batch_of(with_confidence(parts_of(open_checkpoint("dspark_rnn", tmp_path)), bias))
    assert [len(ids) for ids in batch.propose([8, 8, 8])] == [count] * 3


def test_rows_are_cut_by_their_own_doubts():
    confidence = mx.array([[2.0, 2.0, -5.0, 9.0], [-5.0, 9.0, 9.0, 9.0], [0.0, 0.0, 0.0, 0.0]])
    assert count_confident(confidence).tolist() == [2, 0, 4]


def test_rows_that_left_take_no_memory(sliding):
    batch_of(sliding).propose([4, 4, 4])  # reads what is lazy of the checkpoint
    before = mx.get_active_memory()
    batch = batch_of(sliding)
    batch.commit(batch.propose([4, 4, 4]), [0, 0, 0])
    rows = batch.rows
    rows.filter([])
    del batch
    assert mx.get_active_memory() == before
