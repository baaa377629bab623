"""Depth chosen by measured cost, in the engine: never another text, plain stretches measured, costs kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cost_file import load_costs
from engine.costs import CostTable, Place, place
from engine.depth import LITTLE_GAIN, MEASURING, MeasuredDepth
from engine.engine import Engine
from engine.messages import UNQUANTISED, Delta, KvScheme, Submit
from engine.text.thread import InlineText
from tests.engine.harness import DRAFTED, Harness, submit
from tests.engine.restarts import LONG, Chat
from tests.engine.test_costs import table
from tests.engine.tiny import tiny_folder

TEXTS = ("The quick brown fox", "aaaa bbbb aaaa bbbb", "x", "one two three one two")
CHEAP = {2: 1.1, 9: 1.3, 17: 1.6}


def measuring(data_dir) -> Harness:
    """An engine that chooses depths as it does for a user."""
    harness = Harness(data_dir)
    harness.engine = Engine(harness.events.append, InlineText(data_dir), data_dir)
    return harness


def rules(index: int, num_tokens: int = 90) -> dict[str, object]:
    return {"max_tokens": num_tokens + 9 * index, "temperature": 0.4 * index, "seed": index}


def requests(target: Path, drafter: str, num_tokens: int = 90) -> list[Submit]:
    return [
        submit(index, target, text, drafter=drafter, **rules(index, num_tokens))
        for index, text in enumerate(TEXTS, start=1)
    ]


def assert_as_alone(engine: Harness, target: Path, alone: Callable[..., list[int]]) -> None:
    for index, text in enumerate(TEXTS, start=1):
        assert engine.ids_of(index) == alone(text, on=target, **rules(index))


@pytest.mark.parametrize("drafter", DRAFTED, indirect=True)
def test_measured_depth_changes_no_token_alone_or_batched(data_dir, target, alone, drafter):
    engine = measuring(data_dir)
    for request in requests(target, drafter):
        engine.send(request)
        engine.step(7)
    engine.run()
    assert_as_alone(engine, target, alone)


@pytest.mark.parametrize("drafter", ["ngram", "suffix"], indirect=True)
def test_depth_that_pays_in_some_rounds_only_changes_no_token(data_dir, looping_target, alone, drafter):
    engine = Harness(data_dir, MeasuredDepth(table(1.0, CHEAP)))
    engine.send(*requests(looping_target, drafter))
    engine.run()
    assert_as_alone(engine, looping_target, alone)
    statistics = engine.statistics_of(1)
    assert statistics.num_accepted > 0
    assert statistics.num_rounds < statistics.num_tokens


def test_model_that_is_never_right_is_soon_left_alone(data_dir, target, drafters, alone):
    engine = Harness(data_dir, MeasuredDepth(table(1.0, CHEAP)))
    engine.send(submit(1, target, TEXTS[0], drafter=drafters["other model"], **rules(1)))
    engine.run()
    assert engine.ids_of(1) == alone(TEXTS[0], **rules(1))
    statistics = engine.statistics_of(1)
    assert 0 < statistics.num_proposed < 40
    assert "slower than plain here" in statistics.depth_reason or statistics.depth_reason == LITTLE_GAIN


def test_plain_decoding_is_measured_while_a_drafter_waits_and_then_compared_with(data_dir, target):
    engine = measuring(data_dir)
    engine.send(submit(1, target, TEXTS[0], drafter="ngram", max_tokens=90))
    engine.step_until(lambda: bool(engine.deltas_of(1)))
    assert engine.deltas_of(1)[0].statistics.depth_reason == MEASURING
    engine.run()
    statistics = engine.statistics_of(1)
    assert statistics.depth_reason != MEASURING
    assert statistics.speedup > 0
    assert 0 <= statistics.extra_seconds <= statistics.draft_seconds + statistics.verify_seconds


def test_costs_of_an_earlier_start_are_used_at_once(data_dir, target):
    first, second = measuring(data_dir), measuring(data_dir)
    for engine in (first, second):
        engine.send(submit(1, target, TEXTS[0], drafter="ngram", max_tokens=90))
        engine.run()
    assert first.deltas_of(1)[0].statistics.depth_reason == MEASURING
    assert second.deltas_of(1)[0].statistics.depth_reason != MEASURING
    assert len(list((data_dir / "costs").glob("*.json"))) == 1


def test_row_whose_drafter_finds_nothing_runs_ahead_like_a_plain_one(data_dir, target):
    costs = table(1.0, CHEAP)
    engine = Harness(data_dir, MeasuredDepth(costs))
    engine.send(submit(1, target, TEXTS[0], drafter="ngram", max_tokens=120))
    engine.run()
    (measured,) = (data_dir / "costs").glob("*.json")
    assert load_costs(measured).plain_seconds(Place(1, 0)) > 0


def test_costs_are_stored_while_a_reply_runs(data_dir, target, monkeypatch):
    monkeypatch.setattr("engine.cost_file.STORE_SECONDS", 0.0)
    engine = Harness(data_dir)
    engine.send(submit(1, target, TEXTS[0], max_tokens=60))
    engine.step_until(lambda: len(engine.deltas_of(1)) == 30)
    (measured,) = (data_dir / "costs").glob("*.json")
    assert load_costs(measured).base_seconds(Place(1, 0)) > 0


def test_groups_that_take_turns_both_learn_what_plain_decoding_takes(data_dir, tmp_path):
    folder = tiny_folder(tmp_path / "wide", head_dim=32)
    engine, schemes = measuring(data_dir), (UNQUANTISED, KvScheme(8, 32))
    for turn in range(3):  # the first round of a kind is dropped
        engine.send(*(submit(2 * turn + i, folder, TEXTS[0], kv=kv, max_tokens=90) for i, kv in enumerate(schemes)))
        engine.run()
    target = engine.engine.target(str(folder))
    assert target is not None
    assert all(target.costs.plain_seconds(place(1, 9, kv)) > 0 for kv in schemes)


def test_batch_is_counted_as_one(data_dir, target):
    engine = Harness(data_dir)
    engine.send(*requests(target, "none", num_tokens=20))
    num_forwards, is_busy = 0, True
    while is_busy:
        num_events = len(engine.events)
        is_busy = engine.engine.step()
        num_forwards += any(isinstance(event, Delta) for event in engine.events[num_events:])
    group = engine.deltas_of(4)[-1].statistics.group
    num_tokens = sum(len(engine.ids_of(index)) for index in (1, 2, 3, 4))
    assert (group.num_forwards, group.num_tokens) == (num_forwards - 1, num_tokens - 1)  # its own is not counted yet
    assert group.tokens_per_forward == group.num_tokens / group.num_forwards > 1


def test_batch_of_one_plain_reply_has_a_token_for_each_forward_that_is_delivered(data_dir, target):
    engine = Harness(data_dir)
    engine.send(submit(1, target, TEXTS[0], max_tokens=20))
    engine.run()
    told = [delta.statistics.group for delta in engine.deltas_of(1)]
    assert [group.num_forwards for group in told] == [group.num_tokens for group in told] == list(range(20))
    assert told[-1].tokens_per_forward == 1.0


def test_rounds_in_which_a_restored_row_catches_up_are_no_cost_of_drafting(data_dir, tmp_path, monkeypatch):
    folder = tiny_folder(tmp_path / "long", max_position_embeddings=4096)
    chat = Chat(folder, data_dir, tmp_path / "cache")
    chat.ask(LONG * 40)
    drafter = f"model:{tiny_folder(tmp_path / 'drafter', seed=5, max_position_embeddings=4096)}"
    counted, count_draft = [], CostTable.count_draft

    def count(costs: CostTable, name: str, num_rows: int, depth: int, seconds: float) -> None:
        counted.append(num_rows)
        count_draft(costs, name, num_rows, depth, seconds)

    monkeypatch.setattr(CostTable, "count_draft", count)
    engine = chat.start()
    engine.send(submit(2, folder, TEXTS[0], drafter=drafter, max_tokens=400))
    engine.step_until(lambda: len(engine.ids_of(2)) >= 20)
    chat.drafter = drafter
    engine.send(chat.request("And?"))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    counted.clear()
    engine.step_until(lambda: bool(counted))
    assert counted == [2]
    assert len(engine.deltas_of(1)) > 3
