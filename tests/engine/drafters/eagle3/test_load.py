"""EAGLE-3 heads in the engine: one whose acceptance is known reaches it, and what does not fit is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.messages import Failed
from tests.engine.drafters.exact_eagle3 import DEPTH, LETTERS, MISSING, TAPS, accepted_of, exact_pair, text_of
from tests.engine.drafters.tiny_eagle3 import tiny_eagle3
from tests.engine.goldens import read_golden, write_golden
from tests.engine.harness import Harness, submit
from tests.engine.tiny import tiny_folder

LENGTH = len(LETTERS) - 1  # before the text repeats itself, and copies go before the head


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The target, and the head's name as a drafter."""
    target, head = exact_pair(tmp_path_factory.mktemp("exact"))
    return target, f"eagle3:{head}"


def assert_exact(engine: Harness, request_id: int, length: int, missing: str = MISSING) -> None:
    accepted, statistics = accepted_of(length, missing), engine.statistics_of(request_id)
    assert engine.text_of(request_id) == text_of(length)
    assert (statistics.num_rounds, statistics.num_accepted) == (len(accepted), sum(accepted))


def test_head_is_right_wherever_it_can_be(engine, pair):
    target, drafter = pair
    engine.send(submit(1, target, "abc", drafter=drafter, max_tokens=LENGTH))
    engine.run()
    assert_exact(engine, 1, LENGTH)
    assert engine.statistics_of(1).accepted_by_position[:DEPTH] == (8, 8, 7, 7)


def test_acceptance_in_a_batch_is_that_of_a_row_alone_while_rows_join_and_leave(engine, pair):
    target, drafter = pair
    lengths = {1: LENGTH, 2: 9, 3: 30, 4: LENGTH - 4, 5: 17}
    for request_id, length in lengths.items():
        engine.send(submit(request_id, target, "abc" * request_id, drafter=drafter, max_tokens=length))
        engine.step(2)
    engine.run()
    for request_id, length in lengths.items():
        assert_exact(engine, request_id, length)
    assert engine.most_rows_of(4) >= 3


def test_four_rows_of_one_batch_have_the_acceptance_of_one(engine, pair):
    target, drafter = pair
    engine.send(*(submit(i, target, "abc"[:i], drafter=drafter, max_tokens=LENGTH) for i in range(1, 5)))
    engine.run()
    assert engine.most_rows_of(1) == 4
    for request_id in range(1, 5):
        assert_exact(engine, request_id, LENGTH)


def test_head_whose_layer_sees_a_window_alone_has_the_same_acceptance(engine, tmp_path):
    target, head = exact_pair(tmp_path, layer={"layer_types": ["sliding_attention"], "sliding_window": 5})
    for request_id in range(1, 4):
        engine.send(submit(request_id, target, "abc", drafter=f"eagle3:{head}", max_tokens=LENGTH - request_id))
        engine.step(2)
    engine.run()
    for request_id in range(1, 4):
        assert_exact(engine, request_id, LENGTH - request_id)


@pytest.mark.parametrize("shift", [-1, 1])
def test_head_that_reads_the_layers_beside_its_own_foretells_nothing(engine, tmp_path, shift):
    inputs = [tap + 1 + shift for tap in TAPS]  # this layout counts the inputs of layers
    target, head = exact_pair(tmp_path, eagle_aux_hidden_state_layer_ids=inputs)
    engine.send(submit(1, target, "abc", drafter=f"eagle3:{head}", max_tokens=LENGTH))
    engine.run()
    assert engine.text_of(1) == text_of(LENGTH)
    assert engine.statistics_of(1).num_accepted == 0


def refusal(engine: Harness, target: Path, head: Path) -> str:
    engine.send(submit(1, target, "abc", drafter=f"eagle3:{head}"))
    engine.run()
    end = engine.end_of(1)
    assert isinstance(end, Failed)
    assert end.code == "drafter"
    return end.text


def test_head_of_another_target_is_refused(engine, target, pair):
    assert "it reads a hidden size of 64, and this model's is 32" in refusal(engine, target, Path(pair[1][7:]))


def test_head_that_asks_for_the_last_layer_is_refused(engine, target, tmp_path):
    head = tiny_eagle3(tmp_path, target, eagle_aux_hidden_state_layer_ids=[0, 1, 2])
    assert "it reads the last layer (1)" in refusal(engine, target, head)


def test_offsets_out_of_range_are_refused(engine, tmp_path):
    golden = read_golden("eagle3_speculators")
    golden.weights["d2t"][0] = 40
    head = write_golden(tmp_path / "head", golden)
    target = tiny_folder(tmp_path / "target", letters=LETTERS[:37], hidden_size=16, num_hidden_layers=8)
    assert "names token 40 of a target that has 40" in refusal(engine, target, head)


def test_head_of_a_large_vocabulary_proposes_its_frequent_tokens(engine, tmp_path, monkeypatch):
    monkeypatch.setattr("engine.drafters.eagle3.load.LARGE_VOCABULARY", 40)
    monkeypatch.setattr("engine.drafters.vocabulary.FREQUENT_TOKENS", 24)  # by their ids, before any reply is known
    target, head = exact_pair(tmp_path, missing="")
    engine.send(submit(1, target, "abc", drafter=f"eagle3:{head}", max_tokens=LENGTH))
    engine.run()
    assert_exact(engine, 1, LENGTH, missing=LETTERS[24:])
