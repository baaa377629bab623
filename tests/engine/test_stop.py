"""Stop acts within one chunk of a long prompt and one slice of a load, and what was read is kept."""

from __future__ import annotations

import queue
from pathlib import Path

import pytest

from engine.messages import Cancel, Event, Failed, Finished, LoadModel, Progress, Shutdown, Submit
from engine.prompt_cache.entries import PAGE_TOKENS
from engine.thread import EngineThread
from tests.engine.harness import Harness, submit
from tests.engine.restarts import is_reading
from tests.engine.tiny import tiny_folder

PROMPT = "The quick brown fox jumps over the lazy dog. " * 155  # 7,000 tokens of one letter each


@pytest.fixture(scope="module")
def long_target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder(tmp_path_factory.mktemp("models") / "long", max_position_embeddings=8192)


def ask(request_id: int, target: Path) -> Submit:
    return submit(request_id, target, PROMPT, chat="chat", max_tokens=3)


def test_o44_stop_in_a_long_prompt_leaves_the_engine_idle_within_a_chunk_and_keeps_what_was_read(
    data_dir, long_target, tmp_path
):
    engine = Harness(data_dir, cache_dir=tmp_path / "cache")
    engine.send(ask(1, long_target))
    engine.step_until(lambda: sum(map(is_reading, engine.events)) > 3)
    engine.send(Cancel(1))
    engine.step()
    assert engine.reason_of(1) == "cancelled"
    num_read = engine.statistics_of(1).num_read or 0
    assert 0 < num_read < 7000
    assert not engine.engine.step()
    engine.send(ask(2, long_target))
    engine.step_until(lambda: any(map(is_reading, engine.events_of(2))))
    assert next(filter(is_reading, engine.events_of(2))).num_cached >= num_read - PAGE_TOKENS
    engine.close()


def test_o44_stop_on_the_thread_is_answered_and_the_next_send_goes_on_from_there(data_dir, long_target):
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    thread = EngineThread(data_dir)
    thread.start(events.put)
    thread.send(ask(1, long_target))
    while not is_reading(events.get(timeout=60)):
        pass
    thread.send(Cancel(1))
    stopped = end_in(events)
    thread.send(ask(2, long_target))
    while not is_reading(reading := events.get(timeout=60)):
        pass
    thread.send(Shutdown())
    assert thread.join(60)
    assert stopped.reason == "cancelled"
    assert stopped.statistics.num_read
    assert reading.num_cached >= stopped.statistics.num_read - PAGE_TOKENS


def end_in(events: queue.SimpleQueue[Event]) -> Finished:
    while not isinstance(event := events.get(timeout=60), Finished | Failed):
        pass
    assert isinstance(event, Finished)
    return event


def test_o44_stop_in_a_load_leaves_the_engine_idle_and_nothing_loaded(engine, long_target):
    engine.send(LoadModel(1, str(long_target)))
    engine.step_until(lambda: any(isinstance(event, Progress) for event in engine.events))
    engine.send(Cancel(1))
    engine.step()
    assert engine.reason_of(1) == "cancelled"
    assert not engine.engine.step()
    assert engine.engine.target(str(long_target)) is None
