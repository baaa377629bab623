"""Memory: rows and models that do not fit wait or are refused with a sentence, and the prompt cache gives way."""

from __future__ import annotations

import gc
from pathlib import Path

import mlx.core as mx
import pytest

from engine.messages import (
    Cancel,
    ClearCache,
    Failed,
    Finished,
    LoadModel,
    Notice,
    Shutdown,
    UnloadModel,
)
from engine.models.memory import RowSize
from tests.engine.harness import TEXT, Harness, submit

LONG = 400  # tokens of a reply that runs while others come


class Limit:
    """The memory limit of a test; None for none."""

    def __init__(self) -> None:
        self.num_bytes = 1 << 60
        self.num_asked = 0

    def __call__(self, held_bytes: int) -> int:
        self.num_asked += 1
        return self.num_bytes

    def leave(self, num_bytes: int) -> None:
        """Have so many bytes left from now on; what earlier tests left behind shall not go in the middle of it."""
        gc.collect()
        self.num_bytes = mx.get_active_memory() + num_bytes


@pytest.fixture
def limit() -> Limit:
    return Limit()


@pytest.fixture
def engine(data_dir: Path, limit: Limit) -> Harness:
    return Harness(data_dir, memory_limit=limit)


@pytest.fixture
def size(engine: Harness, target: Path) -> RowSize:
    """What rows of the target take, once it is loaded."""
    engine.send(LoadModel(99, str(target)))
    engine.run()
    loaded = engine.engine.target(str(target))
    assert loaded is not None
    return loaded.row_size


def notices_of(engine: Harness, request_id: int) -> list[str]:
    return [
        event.text for event in engine.events_of(request_id) if isinstance(event, Notice) and event.code == "memory"
    ]


def test_row_that_has_no_room_waits_with_a_sentence_and_starts_when_another_ends(engine, limit, size, target, alone):
    engine.send(submit(1, target, TEXT, max_tokens=20), submit(2, target, TEXT, max_tokens=30))
    limit.leave(size.working_bytes + int(2.6 * size.at(256)))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    engine.send(submit(3, target, TEXT, max_tokens=50))
    engine.run()
    (text,) = notices_of(engine, 3)
    assert text.startswith("A third reply at 88 tokens needs 66 KB more; ")
    assert text.endswith(" is free. It starts when another ends.")
    assert engine.events.index(engine.end_of(1)) < engine.events.index(engine.deltas_of(3)[0])
    assert [engine.ids_of(i) for i in (1, 2, 3)] == [alone(TEXT, max_tokens=count) for count in (20, 30, 50)]


def test_row_that_nothing_makes_room_for_is_refused(engine, limit, size, target):
    limit.leave(size.working_bytes + size.at(512) - 1)
    engine.send(submit(1, target, TEXT, max_tokens=LONG), submit(2, target, TEXT, max_tokens=20))
    engine.run()
    end = engine.end_of(1)
    assert isinstance(end, Failed)
    assert end.code == "request"
    assert " tokens needs " in end.text
    assert end.text.endswith(" is free. Choose a shorter context, fewer bits for the cache, or a smaller model.")
    assert engine.reason_of(2) == "length"


def test_rows_share_a_batch_where_there_is_room_and_run_apart_where_it_is_short(engine, limit, size, target, alone):
    for first, spare, most_rows in ((1, 8, 2), (3, 2.5, 1)):
        limit.leave(size.working_bytes + int(spare * size.at(256)))
        engine.send(submit(first, target, TEXT), submit(first + 1, target, TEXT))
        engine.run()
        assert not notices_of(engine, first + 1)
        assert engine.most_rows_of(first) == most_rows
        assert engine.ids_of(first) == engine.ids_of(first + 1) == alone(TEXT)


def test_row_that_no_end_makes_room_for_is_refused_at_once(engine, limit, size, target):
    engine.send(submit(1, target, TEXT, max_tokens=LONG))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    loaded = engine.engine.target(str(target))
    limit.num_bytes = loaded.weight_bytes + size.working_bytes + size.at(256)
    engine.send(submit(2, target, TEXT, max_tokens=LONG), submit(3, target, TEXT, max_tokens=5))
    engine.step(2)
    assert isinstance(engine.end_of(2), Failed)
    assert "waits" not in notices_of(engine, 3)[0]


def test_row_starts_once_another_model_has_made_room(engine, limit, size, target, looping_target):
    engine.send(LoadModel(98, str(looping_target)), submit(1, target, TEXT, max_tokens=LONG))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    limit.leave(size.working_bytes + int(1.5 * size.at(256)))
    engine.send(submit(2, target, TEXT, max_tokens=5))
    engine.step()
    assert notices_of(engine, 2)
    engine.send(UnloadModel(str(looping_target)))
    engine.step_until(lambda: any(isinstance(event, Finished) for event in engine.events_of(2)))
    assert not [event for event in engine.events_of(1) if isinstance(event, Finished)]


def test_later_row_never_passes_one_that_waits(engine, limit, size, target):
    engine.send(submit(1, target, TEXT, max_tokens=20))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    limit.leave(size.working_bytes + int(1.5 * size.at(256)))
    engine.send(submit(2, target, TEXT, max_tokens=LONG), submit(3, target, TEXT, max_tokens=5))
    engine.step(2)
    limit.leave(1 << 30)
    engine.step_until(lambda: bool(engine.deltas_of(3)))
    assert notices_of(engine, 3) == [
        "A third reply waits behind one that there is no memory for. It starts after that one."
    ]
    assert engine.events.index(engine.deltas_of(2)[0]) < engine.events.index(engine.deltas_of(3)[0])


def test_row_goes_on_once_the_one_before_it_is_cancelled(engine, limit, size, target):
    engine.send(submit(1, target, TEXT, max_tokens=LONG))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    limit.leave(size.working_bytes + int(3.5 * size.at(256)))
    engine.send(submit(2, target, TEXT, max_tokens=450), submit(3, target, TEXT, max_tokens=5))
    engine.step(2)
    assert not engine.ids_of(3)
    engine.send(Cancel(2))
    engine.step_until(lambda: any(isinstance(event, Finished) for event in engine.events_of(3)))
    assert not [event for event in engine.events_of(1) if isinstance(event, Finished)]


def test_waiting_for_memory_costs_rounds_nothing(engine, limit, size, target):
    engine.send(submit(1, target, TEXT, max_tokens=LONG))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    limit.leave(size.working_bytes)
    engine.send(submit(2, target, TEXT))
    engine.step()
    num_asked = limit.num_asked
    engine.step(50)
    assert limit.num_asked == num_asked
    assert notices_of(engine, 2)


@pytest.mark.parametrize("ending", [Cancel(2), Shutdown()])
def test_row_that_waits_for_memory_can_be_ended(engine, limit, size, target, ending):
    engine.send(submit(1, target, TEXT, max_tokens=LONG))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    limit.leave(size.working_bytes)
    engine.send(submit(2, target, TEXT))
    engine.step()
    engine.send(ending)
    engine.step()
    assert engine.reason_of(2) == "cancelled"


def test_row_that_waits_for_memory_keeps_its_target_loaded(engine, limit, size, target):
    engine.send(submit(1, target, TEXT, max_tokens=20))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    limit.leave(size.working_bytes)
    engine.send(submit(2, target, TEXT, max_tokens=5), UnloadModel(str(target)))
    engine.step(3)
    limit.leave(1 << 30)
    engine.run()
    assert engine.reason_of(2) == "length"
    assert engine.engine.target(str(target)) is None


def test_fault_fails_a_row_that_waits_for_memory(engine, limit, size, target):
    engine.send(submit(1, target, TEXT, max_tokens=LONG))
    engine.step_until(lambda: bool(engine.ids_of(1)))
    limit.leave(size.working_bytes)
    engine.send(submit(2, target, TEXT))
    engine.step()
    engine.engine.fail("It failed.")
    assert engine.end_of(2) == Failed(2, "engine", "It failed.")


@pytest.mark.parametrize(("left", "words"), [(-1, "is allowed for one program here"), (0, "is free of the")])
def test_model_is_refused_before_memory_is_taken(engine, limit, target, left, words):
    held = mx.zeros((50_000_000,), dtype=mx.uint8)
    mx.eval(held)
    limit.num_bytes = 100_000 if left else mx.get_active_memory() + 100_000
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    engine.send(LoadModel(1, str(target)))
    engine.run()
    end = engine.end_of(1)
    assert isinstance(end, Failed)
    assert end.code == "model"
    assert words in end.text
    assert mx.get_peak_memory() <= before
    del held


def test_drafter_is_refused_before_memory_is_taken(engine, limit, size, target, drafters):
    limit.leave(100_000)
    engine.send(submit(1, target, TEXT, drafter=drafters["other model"]))
    engine.run()
    end = engine.end_of(1)
    assert isinstance(end, Failed)
    assert end.code == "drafter"
    assert "of memory" in end.text


def test_prompt_cache_gives_way_to_a_row_and_to_a_model(data_dir, target, tmp_path, limit, looping_target):
    engine = Harness(data_dir, cache_dir=tmp_path / "cache", memory_limit=limit)
    engine.send(submit(1, target, TEXT * 20, max_tokens=2))
    engine.run()
    cached = engine.cache_bytes(2)
    size = engine.engine.target(str(target)).row_size
    limit.leave(size.working_bytes + 256 * 256 - cached // 2)
    engine.send(submit(3, target, "x", max_tokens=20))
    engine.run()
    assert engine.reason_of(3) == "length"
    assert engine.cache_bytes(4) < cached
    engine.send(ClearCache(5))
    engine.close()


def test_prompt_cache_leaves_what_a_row_was_promised(data_dir, target, tmp_path, limit):
    engine = Harness(data_dir, cache_dir=tmp_path / "cache", memory_limit=limit)
    engine.send(LoadModel(1, str(target)), LoadModel(2, str(target)))
    engine.run()
    size = engine.engine.target(str(target)).row_size
    limit.leave(size.working_bytes + size.at(512))
    engine.send(submit(3, target, TEXT * 20, max_tokens=30))
    engine.step_until(lambda: len(engine.ids_of(3)) > 20)
    assert engine.cache_bytes(4) == 0
    limit.leave(1 << 30)
    engine.send(submit(5, target, "x" * 300, max_tokens=20))
    engine.run()
    assert engine.cache_bytes(6) > 0
    engine.close()


@pytest.mark.parametrize("spare", [2, 3, 12])
def test_memory_stays_within_the_limit_whoever_comes(engine, limit, size, target, drafters, spare):
    limit.leave(size.working_bytes + spare * size.at(512))
    mx.reset_peak_memory()
    for index in range(1, 8):
        drafter = drafters["model like the target"] if index == 3 and spare > 5 else "none"
        engine.send(submit(index, target, TEXT * index, max_tokens=20 * index, drafter=drafter))
        engine.step(3)
    engine.run()
    assert not [event for event in engine.events if isinstance(event, Failed)]
    assert mx.get_peak_memory() <= limit.num_bytes
    assert bool([event for event in engine.events if isinstance(event, Notice)]) == (spare < 12)
