"""EAGLE-3 heads behind rows of pairs: whatever was accepted, they propose what they would write after the text."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.drafters.base import TargetPorts, TargetView
from engine.drafters.eagle3.load import Eagle3Head, fill_module
from engine.drafters.eagle3.model import Eagle3
from engine.drafters.vocabulary import DraftVocabulary
from engine.drafters.weights import read_target_ids
from engine.models.drafting.eagle3 import read_spec
from engine.models.drafting.files import read_files
from tests.engine.drafters.pairing import CHAIN, HIDDEN, VOCABULARY, Batch
from tests.engine.drafters.tiny_eagle3 import tiny_eagle3
from tests.engine.tiny import write_json

PROMPTS = ([1, 2, 3, 4, 5], [7, 8], [9, 3, 9])
EMBEDDING = mx.random.normal((VOCABULARY, HIDDEN), key=mx.random.key(8))
FORMS: dict[str, dict[str, Any]] = {
    "before the norm": {},
    "after the norm": {"norm_output": True, "norm_before_residual": True},
    "in a window": {"layer": {"layer_types": ["sliding_attention"], "sliding_window": 4}},
}


@pytest.fixture(params=FORMS)
def head(request: pytest.FixtureRequest, tmp_path: Path) -> Eagle3Head:
    """A head of two taps, for a target that is there in name only."""
    write_json(tmp_path / "config.json", {"hidden_size": HIDDEN, "vocab_size": VOCABULARY, "num_hidden_layers": 4})
    folder = tiny_eagle3(tmp_path / "head", tmp_path, eagle_aux_hidden_state_layer_ids=[1, 3], **FORMS[request.param])
    files = read_files(folder)
    spec = read_spec(files, None)
    module = Eagle3(spec)
    assert list(fill_module(module, files, spec, mx.float32))
    ports = TargetPorts(HIDDEN, 4, 1.0, lambda ids: EMBEDDING[ids], lambda hidden: hidden, lambda ids: lambda x: x)
    return Eagle3Head(
        module, DraftVocabulary(read_target_ids(files, spec), VOCABULARY), TargetView(VOCABULARY, 512, own=ports)
    )


def test_rows_of_any_acceptance_and_depth_propose_what_the_head_writes(head):
    batch, chance = Batch(head), random.Random(3)
    for index, prompt in enumerate(PROMPTS):
        batch.join(prompt, temperature=0.8 * (index % 2), chunk_length=1 + index)
    for step in range(12):
        if step in (4, 9):
            batch.join([20 + step] * (step - 3))
        if step in (6, 10):
            batch.leave(1)
        depths = [chance.choice([0, 1, 3, 8]) for _ in batch.chats]
        proposals = batch.propose(depths)
        assert [len(ids) for ids in proposals] == [min(depth, CHAIN.length) for depth in depths]
        batch.assert_written(proposals)
        batch.commit(proposals, [chance.randint(0, len(ids)) for ids in proposals], bonus=chance.randrange(VOCABULARY))


def test_tokens_that_the_head_does_not_know_are_never_proposed(head):
    batch = Batch(head)
    batch.join([1, 2, 3], temperature=1.5)
    for bonus in range(8):
        proposals = batch.propose([4])
        assert all(token_id % 2 == 0 for token_id in proposals[0])
        batch.commit(proposals, [bonus % 4], bonus)


def test_restored_row_proposes_what_the_uninterrupted_one_does(head):
    batch, other = Batch(head), Batch(head)
    batch.join([1, 2, 3, 4, 5, 6, 7, 8])
    for bonus in (9, 10, 11):
        batch.commit(batch.propose([4]), [bonus % 3], bonus)
    state = batch.rows.capture(0)
    assert state.covered.num_tokens == state.num_tokens
    other.rows.prepare_append([state]).commit()
    other.chats = batch.chats
    proposals = batch.propose([4])
    assert other.propose([4]) == proposals
    batch.assert_written(proposals)
