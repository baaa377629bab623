"""Models in memory: a target leaves once no reply uses it, later loads wait for that, and the memory returns."""

from __future__ import annotations

import gc
from pathlib import Path

import mlx.core as mx
import pytest

from engine.messages import (
    Cancel,
    DescribeMemory,
    Failed,
    Finished,
    LoadModel,
    MemoryReport,
    ModelLoaded,
    ModelUnloaded,
    Progress,
    Shutdown,
    UnloadModel,
)
from engine.models.drafting.inspection import read_model
from engine.models.memory import loaded_bytes, row_size
from tests.engine.harness import TEXT, Harness, submit
from tests.engine.tiny import tiny_folder

WIDE = {"hidden_size": 256, "intermediate_size": 512}  # so that weights outweigh all else


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("wide")
    return [tiny_folder(folder / str(seed), seed=seed, **WIDE) for seed in range(3)]


def names_of(engine: Harness) -> list[tuple[type, str]]:
    """Which model came or left, in order."""
    return [
        (type(event), event.facts.target if isinstance(event, ModelLoaded) else event.target)
        for event in engine.events
        if isinstance(event, ModelLoaded | ModelUnloaded)
    ]


def waiting_ids(engine: Harness) -> list[int]:
    return [event.request_id for event in engine.events if isinstance(event, Progress) and event.phase == "waiting"]


def test_target_leaves_once_its_last_reply_has_ended_and_a_later_load_waits(engine, models):
    one, two = map(str, models[:2])
    engine.send(submit(1, models[0], TEXT), submit(2, models[0], TEXT, max_tokens=9))
    engine.step_until(lambda: bool(engine.deltas_of(2)))
    engine.send(UnloadModel(one), LoadModel(3, two))
    engine.run()
    assert [engine.reason_of(request_id) for request_id in (1, 2)] == ["length"] * 2
    assert names_of(engine)[-2:] == [(ModelUnloaded, one), (ModelLoaded, two)]
    assert engine.events.index(engine.end_of(1)) < engine.events.index(ModelUnloaded(one))
    assert 3 in waiting_ids(engine)
    assert engine.engine.target(one) is None


@pytest.mark.parametrize("steps", range(5))
def test_request_that_came_before_the_unload_is_answered_whatever_it_waits_for(engine, models, drafters, steps):
    engine.send(submit(1, models[0], TEXT, max_tokens=5, drafter=drafters["other model"]))
    engine.step(steps)
    engine.send(UnloadModel(str(models[0])))
    engine.run()
    assert engine.reason_of(1) == "length"
    assert names_of(engine)[-1] == (ModelUnloaded, str(models[0]))


def test_request_after_the_unload_loads_its_target_again(engine, plain, target):
    engine.send(submit(1, target, TEXT))
    engine.step_until(lambda: bool(engine.deltas_of(1)))
    engine.send(UnloadModel(str(target)), submit(2, target, TEXT))
    engine.run()
    assert engine.ids_of(1) == engine.ids_of(2) == plain.ids_of(1)
    assert [kind for kind, _ in names_of(engine)] == [ModelLoaded, ModelUnloaded, ModelLoaded]


def test_load_of_a_target_that_has_not_left_keeps_it(engine, models):
    one, two = map(str, models[:2])
    engine.send(submit(1, models[0], TEXT))
    engine.step_until(lambda: bool(engine.deltas_of(1)))
    target = engine.engine.target(one)
    engine.send(UnloadModel(one), LoadModel(2, two))
    engine.step()
    engine.send(UnloadModel(two), LoadModel(3, one))
    engine.step()
    assert names_of(engine)[1:] == [(ModelLoaded, one), (ModelUnloaded, two)]
    engine.run()
    assert engine.engine.target(one) is target
    assert engine.reason_of(2) == "cancelled"


def test_target_leaves_for_a_reply_that_waits_for_it_whatever_is_loaded_meanwhile(engine, models):
    one, two = map(str, models[:2])
    engine.send(submit(1, models[0], TEXT))
    engine.step_until(lambda: bool(engine.deltas_of(1)))
    engine.send(UnloadModel(one), submit(2, models[1], TEXT, max_tokens=3), UnloadModel(two), LoadModel(3, one))
    engine.run()
    assert [name for _, name in names_of(engine)[1:]] == [one, two, two, one]
    assert engine.reason_of(2) == "length"


def test_reply_on_a_model_that_stays_waits_for_no_unload(engine, models):
    engine.send(submit(1, models[0], TEXT, max_tokens=200), LoadModel(2, str(models[1])))
    engine.step_until(lambda: len(names_of(engine)) == 2)
    engine.send(UnloadModel(str(models[0])), submit(3, models[1], TEXT, drafter="ngram", max_tokens=3))
    engine.run()
    assert engine.events.index(engine.end_of(3)) < engine.events.index(engine.end_of(1))
    assert 3 not in waiting_ids(engine)


def test_unload_of_what_is_not_loaded_is_answered(engine):
    engine.send(UnloadModel("nowhere"))
    engine.run()
    assert engine.events == [ModelUnloaded("nowhere")]


def test_load_that_an_unload_overtakes_ends_as_cancelled(engine, models):
    engine.send(LoadModel(1, str(models[0])))
    engine.step()
    engine.send(UnloadModel(str(models[0])))
    engine.run()
    assert engine.reason_of(1) == "cancelled"
    assert names_of(engine) == [(ModelUnloaded, str(models[0]))]


def test_load_that_waits_for_an_unload_can_be_cancelled(engine, models):
    engine.send(submit(1, models[0], TEXT))
    engine.step_until(lambda: bool(engine.deltas_of(1)))
    engine.send(UnloadModel(str(models[0])), LoadModel(2, str(models[1])), submit(3, models[1], TEXT))
    engine.step()
    engine.send(Cancel(2), Cancel(3))
    engine.run()
    assert [engine.reason_of(request_id) for request_id in (2, 3)] == ["cancelled"] * 2
    assert engine.engine.target(str(models[1])) is None


def test_end_while_loads_wait_ends_them(engine, models):
    engine.send(submit(1, models[0], TEXT))
    engine.step_until(lambda: bool(engine.deltas_of(1)))
    engine.send(UnloadModel(str(models[0])), LoadModel(2, str(models[1])), submit(3, models[1], TEXT), Shutdown())
    engine.run()
    assert [engine.reason_of(request_id) for request_id in (1, 2, 3)] == ["cancelled"] * 3
    assert names_of(engine)[-1] == (ModelUnloaded, str(models[0]))


def test_fault_of_the_engine_fails_the_loads_that_wait(engine, models):
    engine.send(submit(1, models[0], TEXT))
    engine.step_until(lambda: bool(engine.deltas_of(1)))
    engine.send(UnloadModel(str(models[0])), LoadModel(2, str(models[1])))
    engine.step()
    engine.engine.fail("It failed.")
    assert [engine.end_of(request_id) for request_id in (1, 2)] == [Failed(i, "engine", "It failed.") for i in (1, 2)]
    assert names_of(engine)[-1] == (ModelUnloaded, str(models[0]))


def test_o47_five_quick_switches_with_replies_running_leave_the_last_choice_and_its_memory(data_dir, models):
    engine = Harness(data_dir)
    gc.collect()
    before = mx.get_active_memory()
    engine.send(LoadModel(1, str(models[0])))
    engine.run()
    level = mx.get_active_memory() - before
    current, load = 0, 1
    for switch in range(5):
        engine.send(*(submit(10 * switch + tab, models[current], TEXT, max_tokens=60) for tab in (11, 12)))
        engine.step(2)
        engine.send(Cancel(load), UnloadModel(str(models[current])))
        current, load = (current + 1) % 3, 100 + switch
        engine.send(LoadModel(load, str(models[current])))
    engine.run()
    ends = [engine.end_of(10 * switch + tab) for switch in range(5) for tab in (11, 12)]
    assert [end.reason for end in ends if isinstance(end, Finished)] == ["length"] * 10
    assert [engine.engine.target(str(model)) is not None for model in models] == [
        index == current for index in range(3)
    ]
    gc.disable()
    try:
        assert abs(mx.get_active_memory() - before - level) <= level / 10
    finally:
        gc.enable()


def test_memory_that_a_load_was_admitted_to_is_given_to_no_other(data_dir, target, models):
    limits = [1 << 60]
    engine = Harness(data_dir, memory_limit=lambda held: limits[0])
    engine.send(LoadModel(1, str(target)))
    engine.run()
    before = mx.get_active_memory()
    engine.send(LoadModel(2, str(models[0])))
    engine.step_until(lambda: any(isinstance(event, Progress) and event.total for event in engine.events_of(2)))
    facts = read_model("wide", models[0])
    limits[0] = before + row_size(facts).working_bytes + int(1.5 * loaded_bytes(facts))
    engine.send(submit(3, target, TEXT, drafter=f"model:{models[1]}", max_tokens=4))
    engine.run()
    assert [type(engine.events_of(request_id)[-1]) for request_id in (2, 3)] == [ModelLoaded, Failed]


def test_of_several_drafters_those_in_use_and_the_latest_stay(engine, target, models):
    def drafter_bytes(request_id: int) -> int:
        engine.send(DescribeMemory(request_id))
        engine.step()
        report = engine.answer_to(request_id)
        assert isinstance(report, MemoryReport)
        return report.drafter_bytes

    engine.send(submit(1, target, TEXT, drafter=f"model:{models[0]}", max_tokens=200))
    engine.step_until(lambda: bool(engine.deltas_of(1)))
    one = drafter_bytes(11)
    for index in (1, 2):
        engine.send(submit(10 * index, target, TEXT, drafter=f"model:{models[index]}", max_tokens=2))
        engine.step_until(
            lambda index=index: any(isinstance(event, Finished) for event in engine.events_of(10 * index))
        )
    engine.step()
    assert drafter_bytes(12) == 2 * one > 0
    engine.send(Cancel(1))
    engine.run()
    assert drafter_bytes(13) == one
