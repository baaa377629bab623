"""Groups: who shares a batch, and what a fault of one row or one target does to the others."""

from __future__ import annotations

import itertools

import mlx.core as mx
import pytest
from tokenizers import Tokenizer

from engine.engine import Engine
from engine.kv.full_attention import FullAttention
from engine.kv.rows import BatchedRows
from engine.messages import Cancel, Delta, Event, Failed, Finished, Progress
from engine.target import Target
from engine.text.thread import InlineText
from tests.engine.harness import Harness, submit
from tests.engine.tiny import tiny_folder

TEXTS = ("The quick brown fox", "one two three", "x")


def run_with_neighbours(engine: Harness, target, *others) -> None:
    engine.send(submit(1, target, TEXTS[0]), *others, submit(2, target, TEXTS[1]))
    engine.run()


def assert_neighbours_unharmed(engine: Harness, alone) -> None:
    assert [engine.ids_of(1), engine.ids_of(2)] == [alone(TEXTS[0]), alone(TEXTS[1])]


@pytest.fixture(scope="session")
def poisoned_target(tmp_path_factory):
    """A target whose embedding of the letter K, which the texts here never hold, is not a number."""
    folder = tiny_folder(tmp_path_factory.mktemp("models") / "poisoned")
    weights = mx.load(str(folder / "model.safetensors"))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    weights["model.embed_tokens.weight"][tokenizer.token_to_id("K")] = float("nan")
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
    return folder


def test_reply_whose_logits_are_not_numbers_fails_and_its_neighbours_go_on(engine, poisoned_target, alone, caplog):
    run_with_neighbours(engine, poisoned_target, submit(3, poisoned_target, "Kkk"))
    end = engine.end_of(3)
    assert isinstance(end, Failed)
    assert "not numbers" in end.text
    assert_neighbours_unharmed(engine, alone)
    caplog.clear()


def test_row_that_takes_the_place_of_a_broken_one_starts_clean(engine, poisoned_target, alone, caplog):
    engine.send(submit(1, poisoned_target, TEXTS[0]), submit(3, poisoned_target, "word Kkk"))
    engine.step_until(lambda: any(isinstance(event, Failed) for event in engine.events))
    engine.send(submit(2, poisoned_target, TEXTS[1]))
    engine.run()
    assert_neighbours_unharmed(engine, alone)
    caplog.clear()


@pytest.mark.parametrize("layer", [0, 1])
def test_row_whose_join_finds_no_memory_fails_and_the_batch_goes_on(engine, target, alone, monkeypatch, caplog, layer):
    stage, calls = FullAttention.stage, itertools.count()

    def stage_or_fail(layout, rows):
        if next(calls) == layer:  # the join of the second row: the first took its state along
            raise MemoryError("no memory for the row")
        return stage(layout, rows)

    monkeypatch.setattr(FullAttention, "stage", stage_or_fail)
    engine.send(submit(1, target, TEXTS[0]))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    engine.send(submit(3, target, "late"))
    engine.run()
    assert isinstance(engine.end_of(3), Failed)
    monkeypatch.undo()
    engine.send(submit(2, target, TEXTS[1]))
    engine.run()
    assert_neighbours_unharmed(engine, alone)
    caplog.clear()


@pytest.fixture
def staged(monkeypatch) -> list[int]:
    """How many rows each copying of a layer's state took, in a list that grows."""
    stage, staged = FullAttention.stage, []

    def stage_and_note(layout, rows):
        staged.append(len(rows))
        return stage(layout, rows)

    monkeypatch.setattr(FullAttention, "stage", stage_and_note)
    return staged


@pytest.mark.parametrize("drafter", ["none", "other model"], indirect=True)
def test_row_that_is_alone_joins_without_a_copy_of_its_state(engine, target, alone, staged, drafter):
    for request_id, text in enumerate(TEXTS):
        engine.send(submit(request_id, target, text * 9, drafter=drafter))
        engine.run()
    assert not staged
    assert [engine.ids_of(request_id) for request_id in range(3)] == [alone(text * 9) for text in TEXTS]


def test_rows_that_are_read_together_are_copied_and_one_that_comes_alone_after_them_is_not(
    engine, target, alone, staged
):
    engine.send(submit(1, target, TEXTS[0]), submit(2, target, TEXTS[1] * 20))
    engine.run()
    assert staged
    staged.clear()
    engine.send(submit(3, target, TEXTS[2]))
    engine.run()
    assert not staged
    assert [engine.ids_of(request_id) for request_id in (1, 2, 3)] == [
        alone(text) for text in (TEXTS[0], TEXTS[1] * 20, TEXTS[2])
    ]


def test_row_joins_uncopied_once_those_that_were_read_with_it_have_left(engine, target, alone, staged):
    engine.send(submit(1, target, TEXTS[0], max_tokens=1), submit(2, target, TEXTS[1] * 20))
    engine.step_until(lambda: engine.events_of(1) and isinstance(engine.events_of(1)[-1], Finished))
    staged.clear()
    engine.run()
    assert not staged
    engine.send(submit(3, target, TEXTS[2]))
    engine.run()
    assert [engine.ids_of(request_id) for request_id in (2, 3)] == [alone(TEXTS[1] * 20), alone(TEXTS[2])]


def test_row_that_cannot_leave_its_cohort_fails_those_that_are_read_with_it_alone(
    engine, target, alone, monkeypatch, caplog
):
    engine.send(submit(1, target, TEXTS[0]))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    engine.send(submit(3, target, "late"), submit(4, target, "later " * 20))
    with monkeypatch.context() as broken:
        broken.setattr(BatchedRows, "filter", lambda rows, keep: 1 / 0)
        engine.step_until(lambda: any(isinstance(event, Failed) for event in engine.events))
    engine.send(submit(2, target, TEXTS[1]))
    engine.run()
    assert [type(engine.end_of(request_id)) for request_id in (3, 4)] == [Failed, Failed]
    assert all(isinstance(engine.events_of(request_id)[-1], Failed) for request_id in (3, 4))
    assert_neighbours_unharmed(engine, alone)
    caplog.clear()


@pytest.mark.parametrize("text", ["x", "later " * 60])  # a row that runs, one that is read
def test_stop_that_breaks_a_group_ends_each_row_once_and_the_other_target_goes_on(
    engine, target, tmp_path, alone, monkeypatch, caplog, text
):
    other = tiny_folder(tmp_path / "other", seed=3)
    engine.send(submit(1, target, TEXTS[0]), submit(3, other, text, max_tokens=400), submit(4, other, "word " * 60))
    engine.step_until(lambda: "reading" in {getattr(event, "phase", "") for event in engine.events_of(4)})
    engine.send(Cancel(3))
    with monkeypatch.context() as broken:
        broken.setattr(BatchedRows, "filter", lambda rows, keep: 1 / 0)
        engine.step()
    engine.run()
    assert engine.reason_of(3) == "cancelled"
    assert isinstance(engine.end_of(4), Failed)
    assert engine.ids_of(1) == alone(TEXTS[0])
    caplog.clear()


@pytest.mark.parametrize("kind", [Progress, Delta, Finished])
def test_consumer_that_throws_loses_its_own_reply_only(data_dir, target, alone, caplog, kind):
    engine = Harness(data_dir)
    events = engine.events

    def emit(event: Event) -> None:
        if isinstance(event, kind) and event.request_id == 3:
            raise OSError("the consumer is gone")
        events.append(event)

    engine.engine = Engine(emit, InlineText(data_dir), data_dir)
    run_with_neighbours(engine, target, submit(3, target, TEXTS[2], max_tokens=400))
    assert_neighbours_unharmed(engine, alone)
    assert len(engine.ids_of(3)) < 400 or kind is Finished
    assert "the consumer is gone" in caplog.text
    caplog.clear()


def test_broken_forward_fails_its_group_and_the_other_target_goes_on(engine, target, tmp_path, monkeypatch, caplog):
    other = tiny_folder(tmp_path / "other", seed=3)
    verify = Target.verify

    def verify_or_fail(model, *arguments):
        if model.facts.folder == str(other):
            raise RuntimeError("the device is gone")
        return verify(model, *arguments)

    monkeypatch.setattr(Target, "verify", verify_or_fail)
    engine.send(submit(1, target, TEXTS[0]), submit(2, other, TEXTS[0]), submit(3, other, TEXTS[1]))
    engine.run()
    assert engine.reason_of(1) == "length"
    assert all(isinstance(engine.end_of(request_id), Failed) for request_id in (2, 3))
    caplog.clear()


def test_two_targets_take_turns(engine, target, tmp_path):
    other = tiny_folder(tmp_path / "other", seed=3)
    engine.send(submit(1, target, TEXTS[0]), submit(2, other, TEXTS[0]))
    engine.step_until(lambda: bool(engine.ids_of(1) and engine.ids_of(2)))
    engine.events.clear()
    engine.step(12)
    assert len(engine.deltas_of(1)) == len(engine.deltas_of(2)) == 6


def test_very_long_row_opens_a_group_of_its_own(engine, tmp_path):
    folder = tiny_folder(tmp_path / "long", max_position_embeddings=20_000)
    engine.send(submit(1, folder, "short", max_tokens=300), submit(2, folder, "long " * 1200, max_tokens=10))
    engine.run()
    assert engine.most_rows_of(1) == engine.most_rows_of(2) == 1
    engine.send(submit(3, folder, "short"), submit(4, folder, "not much longer " * 10))
    engine.run()
    assert engine.most_rows_of(4) == 2


def test_prompts_that_arrive_together_are_read_together(engine, target):
    engine.send(*(submit(request_id, target, "word " * (request_id + 4), max_tokens=5) for request_id in range(4)))
    engine.run()
    assert all(engine.most_rows_of(request_id) == 4 for request_id in range(4))


def test_cancel_while_a_round_is_in_flight_keeps_neighbours(engine, target, alone):
    engine.send(*(submit(request_id, target, TEXTS[request_id]) for request_id in range(3)))
    engine.step_until(lambda: len(engine.ids_of(0)) == 12)
    engine.send(Cancel(0))
    engine.run()
    assert engine.ids_of(0) == alone(TEXTS[0])[:12]
    assert [engine.ids_of(1), engine.ids_of(2)] == [alone(TEXTS[1]), alone(TEXTS[2])]


def test_memory_returns_when_all_rows_have_left(engine, target):
    def run(first_id: int) -> None:
        engine.send(*(submit(first_id + index, target, TEXTS[index % 3] * 5) for index in range(8)))
        engine.run()

    run(0)
    mx.clear_cache()
    before = mx.get_active_memory()
    run(100)
    mx.clear_cache()
    assert mx.get_active_memory() <= before
